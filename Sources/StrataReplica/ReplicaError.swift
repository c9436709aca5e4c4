package import Strata

/// The error of a replica or of its server.
package struct ReplicaError: Error, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The server cannot be reached, or the connection broke.
    case unreachable
    /// The server refuses a statement.
    case refused
    /// The server does not have what a replica needs, or cannot be followed.
    case unsuitableServer
    /// An answer of the server has a form that this version does not know.
    case unreadable
    /// The store of this machine fails.
    case store
  }

  package var code: Code
  package var message: String
  package var advice: String
  /// The server's code of the error; nil if the error is not the server's.
  package var sqlState: String?
  /// The store's error, for the code `store`.
  package var storeError: StoreError?

  package init(_ code: Code, _ message: String, advice: String, sqlState: String? = nil) {
    self.code = code
    self.message = message
    self.advice = advice
    self.sqlState = sqlState
  }

  package init(_ error: StoreError) {
    self.init(.store, error.message, advice: error.advice)
    storeError = error
  }

  static func unreadable(_ what: String) -> ReplicaError {
    ReplicaError(.unreadable, "\(what) cannot be read", advice: "update Strata")
  }

  package var description: String {
    "\(message)\(sqlState.map { " (\($0))" } ?? ""): \(advice)"
  }
}
