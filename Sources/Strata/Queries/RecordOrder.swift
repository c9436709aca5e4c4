internal import StrataSQLite

/// The order of a query's results.
///
/// It consists of some columns and the key, so that no two records are equal.
struct RecordOrder: Sendable, Hashable {
  struct Column: Sendable, Hashable {
    let position: Int
    let isDescending: Bool
    /// The index in ``RecordOrder/collations`` of the order of the column's texts; nil for their
    /// bytes.
    ///
    /// It is not the collation itself, because comparing would retain and release it.
    var collation: Int?
  }

  private(set) var columns: [Column]
  private(set) var collations: [TextCollation]

  /// Creates the order by `columns`, then by the key.
  init(_ columns: [Column], collations: [TextCollation] = [], isKeyDescending: Bool = false) {
    self.columns = columns
    self.collations = collations
    // In an order other than by bytes, different keys may be equal.
    if !columns.contains(where: { $0.position == Table.keyColumn && $0.collation == nil }) {
      self.columns.append(Column(position: Table.keyColumn, isDescending: isKeyDescending))
    }
  }

  /// The order by the key alone.
  static let byKey = RecordOrder([])

  var isByKey: Bool { self == Self.byKey }

  /// The columns that decide the order.
  var attributes: AttributeSet { AttributeSet(columns.map(\.position)) }

  /// Returns a negative number, zero or a positive number as `a` comes before, is, or comes after
  /// `b`.
  @inline(__always)
  func compare(_ a: RecordView, _ b: RecordView) -> Int {
    for column in columns {
      let order =
        column.collation == nil
        ? a.order(column.position, to: b, column.position) : collated(a, b, column)
      if order != 0 { return column.isDescending ? -order : order }
    }
    return 0
  }

  private func collated(_ a: RecordView, _ b: RecordView, _ column: Column) -> Int {
    let position = column.position
    guard let collation = column.collation, a.tag(position) == CellTag.text.rawValue,
      b.tag(position) == CellTag.text.rawValue
    else { return a.order(position, to: b, position) }
    return collations[collation].compare(a.payload(position), b.payload(position))
  }

  func compare(_ a: Record, _ b: Record) -> Int {
    a.withView { a in b.withView { b in compare(a, b) } }
  }

  /// Compares a record with a key, only in an order by key alone.
  func compare(_ a: RecordView, key: RecordKey) -> Int {
    let mine = RecordKey(a, Table.keyColumn)
    return mine < key ? -1 : mine == key ? 0 : 1
  }

  /// The order from the last record to the first.
  var reversed: RecordOrder {
    var order = self
    order.columns = columns.map {
      Column(position: $0.position, isDescending: !$0.isDescending, collation: $0.collation)
    }
    return order
  }

  /// The order by the first column alone, in which different records may be equal.
  var byFirstColumn: RecordOrder {
    var order = self
    order.columns = [columns[0]]
    return order
  }

  /// Returns the order in which records with the same cell in a column stand together.
  func grouped(by position: Int) -> RecordOrder {
    var order = self
    order.columns.insert(Column(position: position, isDescending: false), at: 0)
    return order
  }

  /// Returns the order by another column first, in which texts are in the given order.
  func after(_ position: Int, _ collation: TextCollation) -> RecordOrder {
    var column = Column(position: position, isDescending: false)
    column.collation = collations.count
    var order = self
    order.columns.insert(column, at: 0)
    order.collations.append(collation)
    return order
  }
}
