internal import CStrataSQLite

/// The reason why a text is not a single statement that only reads.
package enum ReadRefusal: Error, Equatable {
  /// The text is no valid SQL.
  case sqlite(SQLiteError)
  /// The statement does more than read. The text names the action, such as "insert".
  case doesMore(String)
  /// The text contains no statement.
  case empty
  /// The text contains more than one statement.
  case several
}

extension Connection {
  /// Returns the statement for text from outside, which must be a single statement that only reads.
  ///
  /// A statement that was compiled before is found by the identity of `sql`.
  ///
  /// SQLite's authorizer reports each action of the statement during compilation and refuses every
  /// action but reading. `sqlite3_stmt_readonly` is not enough: a `PRAGMA` may take effect while it
  /// is compiled, and `ATTACH` and `BEGIN` count as read-only.
  package func readingStatement(for sql: SQL) throws(ReadRefusal) -> Statement {
    if let found = cache.find(sql) { return found }
    let statement = try compileReading(sql.text)
    cache.add(statement, for: sql)
    return statement
  }

  private func compileReading(_ text: String) throws(ReadRefusal) -> Statement {
    let probe = AuthorizerProbe()
    sqlite3_set_authorizer(
      handle,
      { context, action, _, name, _, _ in
        if AuthorizerProbe.allows(action, name) { return SQLITE_OK }
        guard let context else { return SQLITE_DENY }
        Unmanaged<AuthorizerProbe>.fromOpaque(context).takeUnretainedValue().refused = action
        return SQLITE_DENY
      }, Unmanaged.passUnretained(probe).toOpaque())
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    var bytes = text
    let result = bytes.withUTF8 { bytes -> Result<Statement, ReadRefusal> in
      bytes.withMemoryRebound(to: CChar.self) { chars in
        guard let start = chars.baseAddress else { return .failure(.empty) }
        do throws(ReadRefusal) {
          var rest: UnsafePointer<CChar>? = start
          let end = start + chars.count
          guard let first = try compile(&rest, end, probe, text) else { throw .empty }
          let statement = Statement(first, on: handle)
          // Only whitespace and comments may follow the statement.
          while let next = rest, next < end, next.pointee != 0 {
            let second: OpaquePointer?
            do throws(ReadRefusal) { second = try compile(&rest, end, probe, text) } catch {
              throw .several
            }
            if let second {
              sqlite3_finalize(second)
              throw .several
            }
          }
          guard sqlite3_stmt_readonly(first) != 0 else { throw .doesMore("write") }
          return .success(statement)
        } catch {
          return .failure(error)
        }
      }
    }
    return try result.get()
  }

  /// Compiles the statement at `position` and moves `position` behind it; nil if there is no
  /// statement.
  private func compile(
    _ position: inout UnsafePointer<CChar>?, _ end: UnsafePointer<CChar>, _ probe: AuthorizerProbe,
    _ text: String
  ) throws(ReadRefusal) -> OpaquePointer? {
    guard let start = position else { return nil }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, start, Int32(end - start), UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &position)
    if code == SQLITE_OK { return statement }
    if let refused = probe.refused { throw .doesMore(AuthorizerProbe.name(of: refused)) }
    throw .sqlite(SQLiteError(code: code, connection: handle, sql: text))
  }
}

/// The box in which the authorizer records the action that it refused.
private final class AuthorizerProbe {
  var refused: Int32?

  private static let reading: Set<Int32> = [
    SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE,
  ]

  /// Returns whether a statement that only reads may do the action.
  static func allows(_ action: Int32, _ name: UnsafePointer<CChar>?) -> Bool {
    guard reading.contains(action) else { return false }
    // SQLite itself refuses `load_extension` only when the statement runs, and not if the process
    // has allowed extensions.
    return action != SQLITE_FUNCTION
      || name.map { String(cString: $0).lowercased() } != "load_extension"
  }

  static func name(of action: Int32) -> String {
    switch action {
    case SQLITE_INSERT: "insert"
    case SQLITE_UPDATE: "update"
    case SQLITE_DELETE: "delete"
    case SQLITE_PRAGMA: "run a pragma"
    case SQLITE_FUNCTION: "load an extension"
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: "begin or end a transaction"
    case SQLITE_ATTACH, SQLITE_DETACH: "attach or detach a file"
    default: "change the tables"
    }
  }
}
