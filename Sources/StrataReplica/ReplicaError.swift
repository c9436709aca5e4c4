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
  /// The constraint of the server that a row violates; nil if there is none.
  package var constraint: String?
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

  /// Whether the same transaction may succeed at the next attempt: it met others, or waited for a
  /// lock in vain.
  var isPassing: Bool { ["40001", "40P01", "55P03"].contains(sqlState) }

  /// Whether the server refuses the statement for good, because of its rows or of the role's rights.
  ///
  /// The other errors are about the connection, the server's state or other transactions.
  package var isVerdict: Bool {
    guard code == .refused, let sqlState else { return false }
    return !["25", "40", "53", "54", "55", "57", "58", "XX"].contains { sqlState.hasPrefix($0) }
  }

  static func unreadable(_ what: String) -> ReplicaError {
    ReplicaError(.unreadable, "\(what) cannot be read", advice: "update Strata")
  }

  package var description: String {
    "\(message)\(sqlState.map { " (\($0))" } ?? ""): \(advice)"
  }
}
