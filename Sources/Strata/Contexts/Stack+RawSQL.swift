internal import StrataSQLite

extension Stack {
  /// Returns the entities in a raw statement's result.
  ///
  /// ```swift
  /// let songs = try await stack.read(
  ///   "SELECT * FROM songs WHERE bpm > \(limit) ORDER BY random() LIMIT 5", as: Song.self)
  /// ```
  ///
  /// Every column of the entity's table must be in the result, under its name; other columns are
  /// ignored. The statement sees the commits up to the call, and no unsaved edits.
  ///
  /// The statement can only read. A statement that writes, attaches a file, changes a setting or
  /// holds a transaction is refused before any of it runs, and so is a text of several statements.
  /// Cancelling the task stops the statement.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery` for a statement that SQLite does not
  ///   understand or whose result lacks a column, `writeRefused`, `invalidValue` for a value that
  ///   an attribute cannot hold, `cancelled`, `deadlineExceeded`, `closed`, or one of SQLite's.
  public nonisolated(nonsending) func read<E: Entity>(
    _ sql: RawSQL, as type: E.Type
  ) async throws -> [E] {
    let table = store.model.table(of: type)
    return try await read(sql) { rows throws(StoreError) in try rows.entities(table, as: type) }
  }

  /// Returns the values in a raw statement's result, which must have one column.
  ///
  /// ```swift
  /// let years = try await stack.read("SELECT DISTINCT year FROM songs", as: Int?.self)
  /// ```
  ///
  /// - Throws: ``StoreError``, as ``Stack/read(_:)`` says.
  public nonisolated(nonsending) func read<Value: AttributeValue>(
    _ sql: RawSQL, as type: Value.Type
  ) async throws -> [Value] {
    try await read(sql) { rows throws(StoreError) in
      try rows.checkWidth(1)
      return try rows.all { () throws(StoreError) in try rows.value(0, as: type) }
    }
  }

  /// Returns the rows of a raw statement's result as tuples.
  ///
  /// ```swift
  /// for (title, plays) in try await stack.read(
  ///   "SELECT title, sum(plays) FROM songs GROUP BY title", as: String.self, Int.self) { … }
  /// ```
  ///
  /// - Throws: ``StoreError``, as ``Stack/read(_:)`` says.
  public nonisolated(nonsending) func read<
    First: AttributeValue, Second: AttributeValue, each Other: AttributeValue
  >(
    _ sql: RawSQL, as first: First.Type, _ second: Second.Type, _ others: repeat (each Other).Type
  ) async throws -> [(First, Second, repeat each Other)] {
    var count = 2
    repeat count += Self.one(each others)
    return try await read(sql) { [count] rows throws(StoreError) in
      try rows.checkWidth(count)
      return try rows.all { () throws(StoreError) in
        var position = 1
        return (
          try rows.value(0, as: First.self), try rows.value(1, as: Second.self),
          repeat try rows.next(&position, as: (each Other).self)
        )
      }
    }
  }

  private static func one<Value>(_: Value.Type) -> Int { 1 }

  /// Returns the rows of a raw statement's result.
  ///
  /// ```swift
  /// for row in try await stack.read("SELECT title, count(*) AS n FROM songs GROUP BY title") {
  ///   print(try row.value("title", as: String.self), try row.value("n", as: Int.self))
  /// }
  /// ```
  ///
  /// - Throws: ``StoreError``, as ``Stack/read(_:)`` says.
  public nonisolated(nonsending) func read(
    _ sql: RawSQL
  ) async throws -> [SQLRow] {
    try await read(sql) { rows throws(StoreError) in
      let text = rows.statement.sql
      return try rows.all { () throws(StoreError) in
        let cells = rows.columns.indices.map { Cell(rows.statement, Int32($0)) }
        return SQLRow(columns: rows.columns, cells: cells, sql: text)
      }
    }
  }

  private nonisolated(nonsending) func read<Value: Sendable>(
    _ sql: RawSQL, _ body: @escaping @Sendable (RawRows) throws(StoreError) -> [Value]
  ) async throws(StoreError) -> [Value] {
    let (text, values) = try sql.resolved(store.model)
    return try await store.reading { snapshot throws(StoreError) in
      try await snapshot.read { reader, connection throws(StoreError) in
        try body(try RawRows(text, values, connection, reader.model))
      }
    }
  }
}
