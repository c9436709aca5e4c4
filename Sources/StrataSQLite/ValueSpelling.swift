internal import CStrataSQLite

extension Connection {
  /// A function from a number and a text to another text.
  private final class Respelling {
    let body: @Sendable (Int64, String) -> String?
    init(_ body: @escaping @Sendable (Int64, String) -> String?) { self.body = body }
  }

  /// Registers the SQL function `strata_spelt(number, text)`, which returns any value but text
  /// unchanged.
  ///
  /// - Parameter body: returns the text that takes the place of a text; nil to leave it unchanged. The
  ///   number says which attribute's text it is.
  package func registerSpelling(
    _ body: @escaping @Sendable (_ number: Int64, _ text: String) -> String?
  ) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, "strata_spelt", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | Int32(SQLITE_INNOCUOUS),
      Unmanaged.passRetained(Respelling(body)).toOpaque(),
      { context, _, arguments in
        guard let arguments, let data = sqlite3_user_data(context) else { return }
        let value = arguments[1]
        guard sqlite3_value_type(value) == SQLITE_TEXT else {
          return sqlite3_result_value(context, value)
        }
        // The text is read first: only then is the count that of the text's encoding.
        let bytes = sqlite3_value_text(value)
        let count = Int(sqlite3_value_bytes(value))
        let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        let respelling = Unmanaged<Respelling>.fromOpaque(data)
        let number = sqlite3_value_int64(arguments[0])
        guard var other = respelling._withUnsafeGuaranteedRef({ $0.body(number, text) }) else {
          return sqlite3_result_value(context, value)
        }
        other.withUTF8 { strata_result_text(context, $0.baseAddress, UInt64($0.count)) }
      }, nil, nil,
      { data in
        if let data { Unmanaged<Respelling>.fromOpaque(data).release() }
      })
    guard code == SQLITE_OK else { throw SQLiteError(code: code, connection: handle, sql: nil) }
  }
}
