/// The validation rules for the records of a table.
struct TableRules: Sendable {
  private let attributes: [(column: Int, rules: [AttributeRule])]
  private let entity: [EntityRule]
  private let lend: EntityLoan

  /// Creates the rules of a table.
  ///
  /// The result is nil without rules, so that a table without them costs nothing.
  init?(_ attributes: [AttributeDefinition], _ definition: EntityDefinition) {
    self.attributes = attributes.enumerated().compactMap { column, attribute in
      attribute.rules.isEmpty ? nil : (column, attribute.rules)
    }
    entity = definition.elements.compactMap { element in
      if case .validation(let rule) = element.content { rule } else { nil }
    }
    lend = definition.lend
    if self.attributes.isEmpty && entity.isEmpty { return nil }
  }

  /// Whether another value of an attribute may break a rule.
  func mayRefuse(_ column: Int) -> Bool {
    !entity.isEmpty || attributes.contains { $0.column == column }
  }

  /// Checks the changed attributes of a record that a save writes, and the record as a whole.
  ///
  /// - Parameter before: the record before the change; nil for a new one.
  func check(
    _ after: Record, before: Record?, _ table: Table, _ failures: inout ValidationFailures
  ) {
    if before == after { return }
    checkAttributes(after, table, &failures) { column in
      before.map { after.differs(from: $0, at: column) } ?? true
    }
    checkEntity(after, table, &failures)
  }

  /// Returns the first failure of a record that a save writes; nil if it breaks no rule.
  func failure(of after: Record, before: Record?, _ table: Table) -> ValidationFailure? {
    var failures = ValidationFailures()
    check(after, before: before, table, &failures)
    return failures.first.first
  }

  /// Checks some attributes of a record whose other attributes are not known.
  func check(
    _ columns: AttributeSet, of record: Record, _ table: Table,
    _ failures: inout ValidationFailures
  ) {
    checkAttributes(record, table, &failures) { columns.contains($0) }
  }

  private func checkAttributes(
    _ record: Record, _ table: Table, _ failures: inout ValidationFailures,
    _ isChecked: (Int) -> Bool
  ) {
    for (column, rules) in attributes where isChecked(column) {
      let cell = record[column]
      for rule in rules {
        guard let message = rule.refusal(cell) else { continue }
        failures.add(table, record.key(Table.keyColumn), column: column, message)
      }
    }
  }

  private func checkEntity(
    _ record: Record, _ table: Table, _ failures: inout ValidationFailures
  ) {
    if entity.isEmpty { return }
    let key = record.key(Table.keyColumn)
    do throws(CodingFailure) {
      try lend(record, of: table) { pointer in
        for rule in entity where !rule.isValid(pointer) {
          failures.add(table, key, column: nil, rule.message)
        }
      }
    } catch {
      failures.add(table, key, column: error.column, error.error.message)
    }
  }
}
