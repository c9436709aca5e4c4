public import Foundation

/// An error for a query that cannot be built.
///
/// ``code`` is for programs, ``message`` describes the problem, and ``advice`` suggests a remedy.
///
/// ```swift
/// do {
///   _ = try Query<Song>(#Predicate { $0.title.count > 3 })
/// } catch let error as QueryError {
///   print(error.expression, error.advice)
/// }
/// ```
public struct QueryError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error.
  ///
  /// Compare it with the constants. Later versions may add more.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    let number: Int

    /// A predicate asks for something that the store cannot answer.
    public static let unsupported = Code(description: "unsupported", number: 1)
    /// A predicate has a value that no attribute can hold, such as not-a-number.
    public static let invalidValue = Code(description: "invalidValue", number: 2)
  }

  /// The kind of the error.
  public let code: Code
  /// The description of the problem.
  public let message: String
  /// The suggested remedy.
  public let advice: String
  /// The part of the predicate concerned.
  public let expression: String

  public var description: String { "\(code): \(message); \(advice)" }
}

extension QueryError {
  static func unsupported(_ expression: Any, _ reason: String) -> QueryError {
    let text = "\(expression)"
    return QueryError(
      code: .unsupported, message: "\(reason): \(text)",
      advice: "write the condition as a filter, or apply it to what was fetched",
      expression: text)
  }
}

/// An alert shows ``message``, and suggests ``advice``.
extension QueryError: LocalizedError, CustomNSError {
  public var errorDescription: String? { message }
  public var recoverySuggestion: String? { advice }
  public var errorUserInfo: [String: Any] { userInfo }
  /// The domain of the bridged `NSError`.
  public static var errorDomain: String { "StrataQueryError" }
  /// A number for each ``Code``.
  public var errorCode: Int { code.number }
}
