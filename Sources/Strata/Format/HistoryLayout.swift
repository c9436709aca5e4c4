/// The names of a model's tables in the history; a name changes with the table's columns.
///
/// Records are written cell by cell in column order, so they can be read only with the columns that
/// they were written with. For this reason the name at the beginning of every section contains a
/// hash of the columns.
struct HistoryLayout: Sendable {
  /// The bytes with which a table's section begins, by the table's position in the model.
  let headers: [[UInt8]]
  private let tables: [[UInt8]: Table]

  init(_ model: Model) {
    let names = model.tables.map { Self.name($0.name, $0.columns.map { ($0.name, $0.storage) }) }
    headers = names.map { name in
      var header: [UInt8] = []
      header.appendVarint(UInt64(name.count))
      return header + name
    }
    tables = Dictionary(uniqueKeysWithValues: zip(names, model.tables))
  }

  /// Returns the table that a section names; nil if it is unknown or had other columns.
  func table(_ name: UnsafeRawBufferPointer) -> Table? { tables[Array(name)] }

  /// Returns whether a table of the model has a name.
  func hasTable(named name: [UInt8]) -> Bool { tables[name] != nil }

  /// Returns a hash of a table's columns, followed by the table's name.
  static func name(
    _ table: String, _ columns: [(name: String, storage: StorageType)]
  ) -> [UInt8] {
    let columns = columns.map { "\($0.name)\u{0}\($0.storage.rawValue)\u{0}" }
    let hash = columns.joined().utf8.stableHash
    return withUnsafeBytes(of: hash.littleEndian) { Array($0) } + Array(table.utf8)
  }
}

extension [UInt8] {
  /// Appends a number in groups of seven bits, the lowest first.
  @inline(__always)
  mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}
