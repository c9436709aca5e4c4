/// A value that an attribute cannot hold, or a cell that an attribute cannot read.
public struct ValueError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem in one sentence, without the attribute's name.
  public let message: String

  /// Creates an error with a message that states the problem.
  public init(_ message: String) { self.message = message }

  public var description: String { message }
}
