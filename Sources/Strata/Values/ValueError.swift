public import Foundation

/// A value that an attribute cannot hold, or a cell that an attribute cannot read.
///
/// ```swift
/// struct Percent: AttributeValue {
///   var value = 0
///
///   init(cell: Cell) throws(ValueError) {
///     value = try Int(cell: cell)
///     guard 0...100 ~= value else { throw ValueError("\(value) is no percentage") }
///   }
///
///   var cell: Cell { value.cell }
///   static let storage = StorageType.integer
/// }
/// ```
public struct ValueError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem in one sentence, without the attribute's name.
  public let message: String

  /// Creates an error with a message that states the problem.
  public init(_ message: String) { self.message = message }

  public var description: String { message }
}

/// An alert shows ``message``.
extension ValueError: LocalizedError, CustomNSError {
  public var errorDescription: String? { message }
  public var errorUserInfo: [String: Any] { userInfo }
  /// The domain of the bridged `NSError`.
  public static var errorDomain: String { "StrataValueError" }
  public var errorCode: Int { 1 }
}
