// Public, although no interface uses a name of the module: the calls below are inlined into the
// engine, where a row of eleven columns makes about forty of them.
public import CStrataSQLite

/// A prepared statement of one connection.
///
/// A statement is used like a cursor: bind, step, read, reset. It belongs to its connection's
/// executor and never leaves it. The bindings `bindStaticText` and `bindStaticBlob` keep a pointer
/// into the caller's memory, which must stay alive until ``reset()``. A reset clears no bindings,
/// so the caller binds every parameter again before the next step.
@usableFromInline package final class Statement {
  @usableFromInline package let handle: OpaquePointer
  private let connection: OpaquePointer
  /// The result code of a binding that has failed since the last step or reset.
  @usableFromInline package var bindingFailure: Int32 = 0
  /// The result code of a failed read of the current row.
  @usableFromInline package var readingFailure: Int32 = 0

  /// Compiles `sql`, which must be one statement.
  init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
    var handle: OpaquePointer?
    var sql = sql
    let code = sql.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) { chars in
        sqlite3_prepare_v3(
          connection, chars.baseAddress, Int32(chars.count), UInt32(SQLITE_PREPARE_PERSISTENT),
          &handle, nil)
      }
    }
    guard code == SQLITE_OK, let handle else {
      throw SQLiteError(code: code, connection: connection, sql: sql)
    }
    self.handle = handle
    self.connection = connection
  }

  /// Takes over a statement that was compiled elsewhere.
  init(_ handle: OpaquePointer, on connection: OpaquePointer) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  /// The statement's text, without bound values.
  package var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

  /// Returns the error that SQLite reported for this statement's last call.
  @usableFromInline package func error(_ code: Int32) -> SQLiteError {
    SQLiteError(code: code, connection: connection, sql: sql)
  }

  /// Moves to the next row, or resets the statement at the end and returns false.
  @inlinable @inline(__always)
  package func step() throws(SQLiteError) -> Bool {
    if bindingFailure != SQLITE_OK { throw error(takeBindingFailure()) }
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    reset()
    if code == SQLITE_DONE { return false }
    throw error(code)
  }

  /// Runs a statement and ignores the rows that it returns.
  @inlinable @inline(__always)
  package func run() throws(SQLiteError) {
    if bindingFailure != SQLITE_OK { throw error(takeBindingFailure()) }
    let code = sqlite3_step(handle)
    sqlite3_reset(handle)
    if code != SQLITE_DONE && code != SQLITE_ROW { throw error(code) }
  }

  /// Runs a statement and returns SQLite's extended result code instead of throwing.
  @inlinable @inline(__always)
  package func runReturningCode() -> Int32 {
    if bindingFailure != SQLITE_OK { return takeBindingFailure() }
    let code = sqlite3_step(handle)
    sqlite3_reset(handle)
    return code
  }

  @inlinable @inline(__always)
  package func reset() {
    sqlite3_reset(handle)
    (bindingFailure, readingFailure) = (SQLITE_OK, SQLITE_OK)
  }
}

// MARK: - Binding

extension Statement {
  /// Returns and clears the binding failure, which makes a single step fail.
  @usableFromInline package func takeBindingFailure() -> Int32 {
    defer { bindingFailure = SQLITE_OK }
    return bindingFailure
  }

  /// Notes the result of a binding; if it failed, the next step fails.
  ///
  /// A binding fails if memory runs out or the value is too large. Without the note, the parameter
  /// would count as null.
  @inlinable @inline(__always)
  package func noteBinding(_ code: Int32) {
    if code != SQLITE_OK { bindingFailure = code }
  }

  @inlinable @inline(__always)
  package func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  @inlinable @inline(__always)
  package func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  @inlinable @inline(__always)
  package func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

  /// Binds text whose bytes must outlive the step.
  @inlinable @inline(__always)
  package func bindStaticText(_ index: Int32, _ bytes: UnsafeRawPointer, _ count: Int) {
    noteBinding(strata_bind_text_static(handle, index, bytes, UInt64(truncatingIfNeeded: count)))
  }

  /// Binds a blob whose bytes must outlive the step.
  @inlinable @inline(__always)
  package func bindStaticBlob(_ index: Int32, _ bytes: UnsafeRawPointer, _ count: Int) {
    noteBinding(strata_bind_blob_static(handle, index, bytes, UInt64(truncatingIfNeeded: count)))
  }

  /// Binds a copy of the text.
  package func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      noteBinding(strata_bind_text_copy(handle, index, bytes.baseAddress, UInt64(bytes.count)))
    }
  }

  /// Binds a copy of the bytes as a blob.
  package func bind(_ index: Int32, blob bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      noteBinding(strata_bind_blob_copy(handle, index, bytes.baseAddress, UInt64(bytes.count)))
    }
  }

  package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }
}

// MARK: - Reading

/// The storage class of a value in a row.
@usableFromInline @frozen package enum StorageClass { case null, integer, real, text, blob }

extension Statement {
  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// Returns the name of a column of the result.
  package func columnName(_ column: Int32) -> String {
    sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
  }

  @inlinable @inline(__always)
  package func storageClass(_ column: Int32) -> StorageClass {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  @inlinable @inline(__always)
  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  @inlinable @inline(__always)
  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  @inlinable @inline(__always)
  package func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// Returns the bytes of a text cell, which are valid until the next step or reset.
  ///
  /// `sqlite3_column_text` comes before `sqlite3_column_bytes`. The other order would convert the
  /// value, as either call does with a number.
  @inlinable @inline(__always)
  package func text(_ column: Int32) -> UnsafeRawBufferPointer {
    let bytes = sqlite3_column_text(handle, column)
    if bytes == nil { noteReading() }
    return UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// Returns the bytes of a blob cell, which are valid until the next step or reset.
  @inlinable @inline(__always)
  package func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    let bytes = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// Notes a failed read of text if memory ran out.
  ///
  /// SQLite returns no text for null and when memory runs out. After the latter, the next step
  /// would fail.
  @inline(never) @usableFromInline
  package func noteReading() {
    let code = sqlite3_errcode(connection)
    if code & 0xFF == SQLITE_NOMEM { readingFailure = code }
  }

  /// Throws if a text of the current row could not be read: for callers that do not step further.
  @inlinable @inline(__always)
  package func checkReading() throws(SQLiteError) {
    if readingFailure != SQLITE_OK { throw error(readingFailure) }
  }

  /// Returns a text cell as a string.
  package func string(_ column: Int32) -> String {
    String(decoding: text(column), as: UTF8.self)
  }
}
