internal import CStrataSQLite

/// Why a text is not one statement that only reads.
package enum ReadRefusal: Error, Equatable {
  /// SQLite does not understand it.
  case sqlite(SQLiteError)
  /// It would do something else: what, in a few words.
  case doesMore(String)
  /// There is nothing in it.
  case empty
  /// There is more than one statement in it.
  case several
}

extension Connection {
  /// The statement for text from outside, which must be one that only reads; found by identity if
  /// it has been compiled before.
  ///
  /// SQLite is asked what the statement does while it compiles it, and told to refuse whatever is
  /// not reading. `sqlite3_stmt_readonly` is not enough: a `PRAGMA` may take effect while it is
  /// compiled, and `ATTACH` and `BEGIN` count as read-only.
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
          // Nothing but space and comments may come after it.
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

  /// Compiles the statement at `position` and moves behind it; nil if nothing is there.
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

/// What the authorizer reports to.
private final class AuthorizerProbe {
  var refused: Int32?

  private static let reading: Set<Int32> = [
    SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE,
  ]

  /// Whether it is something that a statement that reads may do.
  static func allows(_ action: Int32, _ name: UnsafePointer<CChar>?) -> Bool {
    guard reading.contains(action) else { return false }
    // SQLite refuses it, too, unless somebody has allowed extensions, and when it runs.
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
