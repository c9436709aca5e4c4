/// A statement with its parameters.
struct ServerStatement {
  let sql: String
  let parameters: Parameters
  /// Whether the values of the result are in binary format.
  let isBinary: Bool
  /// The name under which the server keeps the parsed statement; nil for a statement that is
  /// planned anew each time, because its plan depends on the parameters.
  var name: String?

  enum Parameters {
    case texts([String?])
    case arrays([ArrayParameter])
  }

  init(_ sql: String, _ parameters: [String?] = [], isBinary: Bool = false) {
    self.sql = sql
    self.parameters = .texts(parameters)
    self.isBinary = isBinary
  }

  init(_ sql: String, _ arrays: [ArrayParameter]) {
    self.sql = sql
    parameters = .arrays(arrays)
    isBinary = false
  }
}
