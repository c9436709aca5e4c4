extension Model {
  /// A number that differs for models whose descriptions differ in what the file has to know; names
  /// of entities are for messages, and a former name that nothing has today cannot be in a file of
  /// otherwise equal tables. One that something else has today tells of names that were swapped.
  ///
  /// It is stored beside the description, so that a store of today's schema is opened without
  /// reading that: decoding and comparing a thousand columns takes longer than everything else.
  var fingerprint: Int64 {
    // FNV-1a: every build of a program must find the same number.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ text: String) {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      // Ends the text: no byte of UTF-8.
      hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }
    func add(formerNames: [String], of name: String, among names: @autoclosure () -> [String]) {
      for former in formerNames where !former.isSameName(as: name) {
        if names().contains(where: former.isSameName) { add("\(former) is \(name)") }
      }
    }
    for table in tables.sorted(by: { $0.name < $1.name }) {
      add(table.sql.create)
      for index in table.sql.indexes(uniques: table.uniques) { add(index.create) }
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
    return Int64(bitPattern: hash)
  }
}

extension StoredTables {
  /// Whether the file's tables and indexes are exactly those that the model creates.
  ///
  /// False does not mean that they differ: a table that was altered has another text.
  func areWritten(as model: Model) -> Bool {
    model.tables.allSatisfy { table in
      let indexes = table.sql.indexes(uniques: table.uniques)
      return sql(ofTable: table.name) == table.sql.create
        && Set(attachedSQL(ofTable: table.name)) == Set(indexes.map(\.create))
        && (table.search?.indexes ?? []).allSatisfy(isWhole)
    }
  }
}
