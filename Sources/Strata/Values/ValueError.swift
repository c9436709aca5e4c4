/// A value that an attribute cannot hold, or a cell that an attribute cannot read.
public struct ValueError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, in one sentence without the attribute's name.
  public let message: String

  /// An error that says what is wrong.
  public init(_ message: String) { self.message = message }

  public var description: String { message }
}
