internal import Foundation

/// Why a server refused an edit.
package struct RefusalReason: Sendable, Equatable, Codable {
  /// The server's code, such as `23505` for a value that another row has.
  package let sqlState: String
  /// The constraint of the server that the row violates; nil if there is none.
  package let constraint: String?
  package let message: String

  package init(sqlState: String, constraint: String? = nil, message: String) {
    self.sqlState = sqlState
    self.constraint = constraint
    self.message = message
  }

  package init(_ error: ReplicaError) {
    self.init(
      sqlState: error.sqlState ?? "", constraint: error.constraint, message: error.message)
  }

  /// Reads the form that the outbox keeps. A text of another form is the store's message about a row
  /// whose unique value another row of the server has.
  package init(text: String) {
    let decoded = try? JSONDecoder().decode(RefusalReason.self, from: Data(text.utf8))
    self = decoded ?? RefusalReason(sqlState: "23505", message: text)
  }

  /// The form that the outbox keeps.
  package var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? message
  }
}
