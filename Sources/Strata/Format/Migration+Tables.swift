extension Migration {
  /// Creates a table with its indexes.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if the table exists already, if a name is
  ///   not valid, or if the key, a constraint or an index names a column that the table does not
  ///   have, or one of SQLite's.
  /// - Complexity: O(c) in the number of the table's columns and indexes.
  public func createTable(_ table: SchemaDescription.Table) throws {
    try check()
    guard schema[table: table.name] == nil else {
      throw StoreError.migration("there is a table \"\(table.name)\" already")
    }
    try checkName(table.name)
    for column in table.columns { try checkColumn(column, of: table) }
    if let missing = table.missingColumn {
      throw StoreError.migration("table \"\(table.name)\" has no column \"\(missing)\"")
    }
    try atomically { () throws(StoreError) in
      try execute(table.sql.create)
      for index in table.indexes { try execute(index.create) }
      for index in table.searchIndexes { try execute(index.create) }
    }
    describe { $0.tables.append(table) }
  }

  /// Drops a table with its rows, indexes and waiting requests.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such table, or one of
  ///   SQLite's.
  /// - Complexity: O(n) in the number of rows and of waiting requests.
  public func removeTable(_ name: String) throws {
    let table = try dropSearchIndexes(of: table(name))
    try atomically { () throws(StoreError) in
      try execute("DROP TABLE \(table.name.quotedIdentifier)")
      try GuestTables.remove(table.name, connection)
    }
    describe { schema in schema.tables.removeAll { $0.name == table.name } }
  }

  /// Gives a table another name.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such table or the new name
  ///   is not valid, or one of SQLite's, for example if another table has the new name.
  /// - Complexity: O(n log n) in the number of rows for each index, which is made again; the rows
  ///   stay where they are. O(m) in the number of waiting requests.
  public func renameTable(_ name: String, to newName: String) throws {
    try checkName(newName)
    let table = try dropSearchIndexes(of: table(name))
    var renamed = table
    renamed.name = newName
    try atomically { () throws(StoreError) in
      for index in table.indexes { try execute("DROP INDEX \(index.name.quotedIdentifier)") }
      try execute(
        "ALTER TABLE \(table.name.quotedIdentifier) RENAME TO \(newName.quotedIdentifier)")
      try GuestTables.rename(table.name, to: newName, connection)
      for index in renamed.indexes { try execute(index.create) }
    }
    replace(table, renamed)
    describe { schema in
      for position in schema.tables.indices {
        for column in schema.tables[position].columns.indices
        where schema.tables[position].columns[column].target == table.name {
          schema.tables[position].columns[column].target = newName
        }
      }
    }
  }

  /// Adds a column with the same value in every row.
  ///
  /// The value is null unless a different value is given.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such table, if the table
  ///   already has a column of that name, or if `value` does not fit the column, or one of
  ///   SQLite's.
  /// - Complexity: O(1) for an optional column without an index that is filled with null, O(n log n)
  ///   in the number of rows otherwise.
  public func addColumn(
    _ column: SchemaDescription.Column, to name: String, filledWith value: Cell = .null
  ) throws {
    let table = try table(name)
    var changed = table
    changed.columns.append(column)
    try checkColumn(column, of: changed)
    guard column.accepts(value) else {
      throw StoreError.migration(
        "\"\(table.name)\".\"\(column.name)\" is \(column.shown), not \(value)")
    }
    if case .null = value {
      try atomically { () throws(StoreError) in
        try execute(
          "ALTER TABLE \(table.name.quotedIdentifier) ADD COLUMN \(column.name.quotedIdentifier) "
            + column.storage.rawValue)
        for index in changed.indexes where !table.indexes.contains(index) {
          try execute(index.create)
        }
      }
      replace(table, changed)
    } else {
      try copy(table, to: changed) { name in
        name == column.name
          ? .made { () throws(ValueError) in value } : table.position(of: name).map { .column($0) }
      }
    }
  }

  /// Drops a column with its values, and the unique constraints and indexes that contain it.
  ///
  /// The column of the key cannot be dropped.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such column or it is the
  ///   key, or one of SQLite's.
  /// - Complexity: O(n log n) in the number of rows, which are copied.
  public func removeColumn(_ name: String, from tableName: String) throws {
    let table = try table(tableName)
    let column = try self.column(name, of: table)
    if column.name == table.key {
      throw StoreError.migration("\"\(column.name)\" is the key of table \"\(table.name)\"")
    }
    var changed = table
    changed.columns.removeAll { $0.name == column.name }
    changed.uniques.removeAll { $0.contains(column.name) }
    changed.compoundIndexes.removeAll { $0.contains(column.name) }
    try copy(table, to: changed) { name in table.position(of: name).map { .column($0) } }
  }

  /// Gives a column another name.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such column or another
  ///   column has the new name, or one of SQLite's.
  /// - Complexity: O(n log n) in the number of rows for each index of the column, which is made
  ///   again; the rows stay where they are. O(m) in the number of waiting requests.
  public func renameColumn(
    _ name: String, of tableName: String, to newName: String
  ) throws {
    let table = try table(tableName)
    let column = try self.column(name, of: table)
    var changed = table
    for position in changed.columns.indices where changed.columns[position].name == column.name {
      changed.columns[position].name = newName
    }
    func renamed(_ columns: [[String]]) -> [[String]] {
      columns.map { $0.map { $0 == column.name ? newName : $0 } }
    }
    changed.uniques = renamed(table.uniques)
    changed.compoundIndexes = renamed(table.compoundIndexes)
    if table.key == column.name { changed.key = newName }
    var new = column
    new.name = newName
    try checkColumn(new, of: changed)
    if table.searchIndexes.contains(where: { $0.columns.contains(column.name) }) {
      changed = changed.withoutSearch
      _ = try dropSearchIndexes(of: table)
    }
    let indexes = table.indexes.filter { $0.columns.contains(column.name) }
    try atomically { () throws(StoreError) in
      for index in indexes { try execute("DROP INDEX \(index.name.quotedIdentifier)") }
      try execute(
        "ALTER TABLE \(table.name.quotedIdentifier) RENAME COLUMN \(column.name.quotedIdentifier) "
          + "TO \(newName.quotedIdentifier)")
      try GuestTables.rename(
        table.name, to: table.name, columns: [(column.name, newName)], connection)
      for index in changed.indexes where index.columns.contains(newName) {
        try execute(index.create)
      }
    }
    replace(table, changed)
  }

  /// Changes a column's type, or whether it is optional.
  ///
  /// `convert` makes the new cell of every row from the old cell.
  ///
  /// - Throws: ``StoreError`` with code `migrationFailed` if there is no such column, if `convert`
  ///   throws, or if a new cell does not fit the column, or one of SQLite's. For a failed
  ///   conversion, the error names the record.
  /// - Complexity: O(n log n) in the number of rows, which are copied.
  public func convertColumn(
    _ name: String, of tableName: String, to new: SchemaDescription.Column,
    _ convert: (Cell) throws -> Cell
  ) throws {
    let table = try table(tableName)
    let column = try self.column(name, of: table)
    var new = new
    new.name = column.name
    var changed = table
    for position in changed.columns.indices where changed.columns[position].name == column.name {
      changed.columns[position] = new
    }
    try withoutActuallyEscaping(convert) { convert throws(StoreError) in
      try copy(table, to: changed) { name in
        table.position(of: name).map { position in
          if name != column.name { return .column(position) }
          return .converted(position) { cell in
            let converted = try convert(cell)
            guard new.accepts(converted) else {
              throw ValueError("the column is \(new.shown), not \(converted)")
            }
            return converted
          }
        }
      }
    }
  }

  // MARK: -

  private func checkName(_ name: String) throws(StoreError) {
    // The names of join tables are allowed: a step that renames a relationship must also rename the
    // table of its links.
    let isReserved =
      name.lowercased().hasPrefix("strata_") && !name.hasPrefix(ManyToManyDefinition.prefix)
    if name.isEmpty || name.utf8.contains(0) || name.lowercased().hasPrefix("sqlite_") || isReserved
    {
      throw .migration("the table name \"\(name)\" is reserved, empty or has a NUL")
    }
  }

  private func checkColumn(
    _ column: SchemaDescription.Column, of table: SchemaDescription.Table
  ) throws(StoreError) {
    if column.name.isEmpty || column.name.utf8.contains(0) {
      throw .migration("a column of table \"\(table.name)\" needs a name without a NUL")
    }
    if table.columns.count(where: { $0.name.isSameName(as: column.name) }) > 1 {
      throw .migration("table \"\(table.name)\" has a column \"\(column.name)\" already")
    }
  }

  private func column(
    _ name: String, of table: SchemaDescription.Table
  ) throws(StoreError) -> SchemaDescription.Column {
    guard let column = table[column: name] else {
      throw .migration("table \"\(table.name)\" has no column \"\(name)\"")
    }
    return column
  }

  private func replace(_ old: SchemaDescription.Table, _ new: SchemaDescription.Table) {
    describe { schema in
      for position in schema.tables.indices where schema.tables[position].name == old.name {
        schema.tables[position] = new
      }
    }
  }

  /// Replaces a table by a copy of another shape.
  private func copy(
    _ table: SchemaDescription.Table, to new: SchemaDescription.Table,
    _ source: (String) -> TableCopy.CellSource?
  ) throws(StoreError) {
    let aside = "strata_old"
    let new = new.withoutSearch
    _ = try dropSearchIndexes(of: table)
    try atomically { () throws(StoreError) in
      for index in table.indexes { try execute("DROP INDEX \(index.name.quotedIdentifier)") }
      try execute("ALTER TABLE \(table.name.quotedIdentifier) RENAME TO \(aside)")
      try GuestTables.rename(table.name, to: aside, connection)
      try execute(new.sql.create)
      let copy = TableCopy(
        connection: connection, old: table, oldName: aside, new: new,
        sources: new.ordered.compactMap { source($0.name) }, meter: meter)
      if meter.isUsed { meter.begin(.step(to: version), new.name) }
      try copy.run()
      try execute("DROP TABLE \(aside)")
      try GuestTables.rename(aside, to: new.name, connection)
      for index in new.indexes { try execute(index.create) }
    }
    replace(table, new)
  }
}

extension SchemaDescription.Table {
  /// Returns a column's position in the table's SQL.
  func position(of name: String) -> Int? {
    ordered.firstIndex { $0.name.isSameName(as: name) }
  }

  /// The description of the table without its search indexes.
  var withoutSearch: Self {
    var copy = self
    copy.fullText = nil
    copy.spatial = []
    return copy
  }
}
