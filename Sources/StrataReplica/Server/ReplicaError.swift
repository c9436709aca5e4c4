public import Foundation
public import Strata

/// The error of a replica or of its server.
///
/// ```swift
/// do {
///   try await replica.caughtUp()
/// } catch let error as ReplicaError {
///   print(error.message, error.advice)
/// }
/// ```
public struct ReplicaError: Error, Sendable {
  /// The kind of an error.
  public enum Code: String, Sendable, Hashable {
    /// The server cannot be reached, or the connection broke. The replica tries again by itself.
    case unreachable
    /// The server refuses a statement. ``ReplicaError/sqlState`` says why.
    case refused
    /// The server does not have what a replica needs, or cannot be followed.
    case unsuitableServer
    /// The server is another database than the one whose rows the store has.
    /// ``Replica/adoptDatabase()`` follows it all the same.
    case anotherDatabase
    /// An answer of the server has a form that this version does not know.
    case unreadable
    /// The store of this machine fails. ``ReplicaError/storeError`` says why.
    case store
    /// An entity is not one of the stack.
    case unknownEntity
    /// The replica was closed.
    case closed
  }

  /// The kind of the error.
  public let code: Code
  /// The failure.
  public let message: String
  /// A remedy.
  public let advice: String
  /// The server's code of the error (SQLSTATE); nil if the error is not the server's.
  public package(set) var sqlState: String?
  /// The constraint of the server that a row violates; nil if there is none.
  public package(set) var constraint: String?
  /// The store's error, for the code `store`.
  public package(set) var storeError: StoreError?

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

  static let blocked = ReplicaError(
    .refused, "the edits depend on an edit that the server refused",
    advice: "edit the refused row, or give its edit up with revert(_:)")

  static let closed = ReplicaError(.closed, "the replica is closed", advice: "open it again")

  static func unreadable(_ what: String) -> ReplicaError {
    ReplicaError(.unreadable, "\(what) cannot be read", advice: "update Strata")
  }
}

/// An alert shows ``message``, and suggests ``advice``.
extension ReplicaError: LocalizedError, CustomNSError {
  public var errorDescription: String? { message }
  public var recoverySuggestion: String? { advice }
  public var errorUserInfo: [String: Any] { userInfo }
  /// The domain of the bridged `NSError`.
  public static var errorDomain: String { "StrataReplicaError" }
  /// A number for each ``Code``, which is never given to another code.
  public var errorCode: Int {
    switch code {
    case .unreachable: 1
    case .refused: 2
    case .unsuitableServer: 3
    case .anotherDatabase: 4
    case .unreadable: 5
    case .store: 6
    case .unknownEntity: 7
    case .closed: 8
    }
  }
}

/// The message, the server's code and the advice.
extension ReplicaError: CustomStringConvertible {
  public var description: String {
    "\(message)\(sqlState.map { " (\($0))" } ?? ""): \(advice)"
  }
}
