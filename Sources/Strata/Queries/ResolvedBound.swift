internal import StrataSQLite

/// A bound of a query in its order, without the entity's type.
struct ResolvedBound: Sendable {
  /// The order in which the query's rows come after the record.
  private let order: RecordOrder
  private let record: Record
  private let includesRecord: Bool
  /// The columns of the order.
  let attributes: [ResolvedAttribute]
  private let condition: OrderCondition

  /// - Throws: ``StoreError`` with code `invalidQuery` if the order is not by attributes of the table, or
  ///   if the entity has a value that cannot be stored.
  init<E: Entity>(
    _ bound: OrderBound<E>, of table: Table, _ order: RecordOrder
  ) throws(StoreError) {
    guard order.columns.allSatisfy({ $0.position < table.columns.count }) else {
      throw .query(
        "after, from, before and through need an order by attributes", entity: table.entity)
    }
    let record: Record
    do throws(CodingFailure) {
      record = try table.encode(bound.entity, RecordBuilder())
    } catch {
      throw .query(
        "\(table.attributeName(error.column)): \(error.error.message)", entity: table.entity)
    }
    let order = bound.isLower ? order : order.reversed
    self.order = order
    self.record = record
    includesRecord = bound.isIncluded
    attributes = order.columns.map {
      ResolvedAttribute(
        join: 0, column: $0.position, name: table.sql.sourceColumns[$0.position])
    }
    condition = OrderCondition(
      columns: order.columns.map { column in
        let collation = column.collation.map { order.collations[$0].sql } ?? ""
        return OrderCondition.Column(
          name: table.sql.sourceColumns[column.position] + collation,
          isDescending: column.isDescending,
          mayBeNull: table.columns[column.position].isOptional, value: record[column.position])
      }, includesEqual: bound.isIncluded)
  }

  /// Returns whether a row comes after the record, or is the record itself if that counts.
  func contains(_ row: RecordView) -> Bool {
    let comparison = record.withView { order.compare(row, $0) }
    return comparison > 0 || comparison == 0 && includesRecord
  }

  func append(to sql: inout SQLBuilder, negated: Bool) {
    if negated { sql.append("(") }
    condition.append(to: &sql)
    // The condition may be null, which counts as false.
    if negated { sql.append(") IS NOT TRUE") }
  }
}
