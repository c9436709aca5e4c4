extension Model {
  /// A hash of those parts of the model's description that the file depends on.
  ///
  /// Names of entities are left out, because they appear only in messages. A former name is
  /// included only if another table or column has this name today, because the two may have swapped
  /// names. Any other former name cannot be in a file whose tables are otherwise equal.
  ///
  /// The store keeps the hash beside the description. So a store with today's schema is opened
  /// without reading the description. To decode and compare a thousand columns takes longer than
  /// everything else.
  var fingerprint: Int64 {
    var bytes: [UInt8] = []
    func add(_ text: String) {
      bytes += text.utf8
      // This byte ends the text, because it never occurs in UTF-8.
      bytes.append(0xFF)
    }
    func add(formerNames: [String], of name: String, among names: @autoclosure () -> [String]) {
      for former in formerNames where !former.isSameName(as: name) {
        if names().contains(where: former.isSameName) { add("\(former) is \(name)") }
      }
    }
    for table in tables.sorted(by: { $0.name < $1.name }) {
      add(table.sql.create)
      for index in table.indexes { add(index.create) }
      for index in table.search?.indexes ?? [] { add(index.create) }
      for column in table.evolution.columns {
        add(column.valueType)
        add(column.target ?? "")
      }
      add(formerNames: table.evolution.formerNames, of: table.name, among: tables.map(\.name))
      for (column, evolution) in zip(table.columns, table.evolution.columns) {
        add(
          formerNames: evolution.evolution.formerNames, of: column.name,
          among: table.columns.map(\.name))
      }
    }
    return Int64(bitPattern: bytes.stableHash)
  }
}

extension StoredTables {
  /// Whether the file's tables and indexes are exactly those that the model creates.
  ///
  /// The result may be false although the tables are equal, because an altered table has another
  /// text.
  func areWritten(as model: Model) -> Bool {
    model.tables.allSatisfy { table in
      return sql(ofTable: table.name) == table.sql.create
        && Set(attachedSQL(ofTable: table.name)) == Set(table.indexes.map(\.create))
        && (table.search?.indexes ?? []).allSatisfy(isWhole)
    }
  }
}
