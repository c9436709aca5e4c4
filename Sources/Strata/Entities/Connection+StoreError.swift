internal import StrataSQLite

// The door to SQLite: its functions throw a `StoreError` for every error of SQLite.

extension Connection {
  /// Opens a connection; the path is ignored for a private database.
  static func open(
    _ access: Access, path: String = "", busyTimeout: Duration = .zero
  ) throws(StoreError) -> Connection {
    try translatingErrors { () throws(SQLiteError) in
      try Connection(path: path, access: access, busyTimeout: busyTimeout)
    }
  }

  /// Runs SQL text that takes no parameters, and ignores the rows that it returns.
  func run(_ text: String) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in try execute(text) }
  }

  /// Runs a cached statement, and ignores the rows that it returns.
  func run(_ sql: SQL, _ values: Cell...) throws(StoreError) {
    let statement = try prepared(sql)
    statement.bind(values)
    try statement.perform()
  }

  /// Returns a new statement with its first parameters bound.
  func prepared(_ text: String, _ values: Cell...) throws(StoreError) -> Statement {
    let statement = try translatingErrors { () throws(SQLiteError) in try prepare(text) }
    statement.bind(values)
    return statement
  }

  /// Returns the cached statement for `sql` with its first parameters bound.
  func prepared(_ sql: SQL, _ values: Cell...) throws(StoreError) -> Statement {
    let statement = try translatingErrors { () throws(SQLiteError) in try self.statement(for: sql) }
    statement.bind(values)
    return statement
  }
}

extension Statement {
  /// Binds copies of the cells to the parameters from 1 on.
  func bind(_ values: [Cell]) {
    for (position, value) in values.enumerated() { value.bind(to: self, at: Int32(position + 1)) }
  }

  /// Runs the statement, and ignores the rows that it returns.
  @inline(__always)
  func perform() throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in try run() }
  }

  /// Moves to the next row, or resets the statement at the end and returns false.
  @inline(__always)
  func next() throws(StoreError) -> Bool {
    try translatingErrors { () throws(SQLiteError) in try step() }
  }

  /// Throws if a text of the current row could not be read: for callers that do not step further.
  @inline(__always)
  func checkRow() throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in try checkReading() }
  }

  /// Returns the value that `read` makes of the first row; nil if there is no row.
  @inline(__always)
  func first<R>(_ read: (Statement) throws(StoreError) -> R) throws(StoreError) -> R? {
    defer { reset() }
    guard try next() else { return nil }
    let value = try read(self)
    try checkRow()
    return value
  }

  /// Returns the first integer of the first row; nil if there is no row.
  func firstInteger() throws(StoreError) -> Int64? { try first { $0.integer(0) } }

  /// Returns whether the statement returns any row.
  func hasRow() throws(StoreError) -> Bool { try first { _ in } != nil }

  /// Calls `body` on every row.
  @inline(__always)
  func forEach(_ body: (Statement) throws(StoreError) -> Void) throws(StoreError) {
    defer { reset() }
    while try next() { try body(self) }
  }

  /// Returns the values that `read` makes of the rows.
  @inline(__always)
  func map<R>(_ read: (Statement) throws(StoreError) -> R) throws(StoreError) -> [R] {
    var values: [R] = []
    try forEach { row throws(StoreError) in values.append(try read(row)) }
    return values
  }
}

/// Runs `body` and turns SQLite's errors into public ones.
@inline(__always)
func translatingErrors<R>(_ body: () throws(SQLiteError) -> R) throws(StoreError) -> R {
  do { return try body() } catch { throw StoreError(error) }
}
