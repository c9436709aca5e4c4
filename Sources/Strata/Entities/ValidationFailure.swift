/// A rule of the schema that a record breaks.
///
/// ```swift
/// for failure in view.validate(Song(title: "")) {
///   print(failure.attribute ?? "song", failure.message)
/// }
/// ```
public struct ValidationFailure: Sendable, Hashable, CustomStringConvertible {
  /// The entity's name.
  public let entity: String
  /// The record's key.
  public let key: RecordKey
  /// The attribute's name in the store; nil for a rule of the whole entity.
  public let attribute: String?
  /// The problem, as the schema words it.
  public let message: String

  public var description: String {
    "\(entity)\(attribute.map { ".\($0)" } ?? "") of \(key): \(message)"
  }
}

/// The failures of a save: the first ones, and the number of all.
struct ValidationFailures {
  /// The largest number of failures that are kept.
  static let limit = 1000

  private(set) var first: [ValidationFailure] = []
  private(set) var count = 0

  mutating func add(_ table: Table, _ key: RecordKey, column: Int?, _ message: String) {
    add(
      ValidationFailure(
        entity: table.entity, key: key, attribute: column.map { table.columns[$0].name },
        message: message))
  }

  mutating func add(_ failure: ValidationFailure) {
    count += 1
    if first.count < Self.limit { first.append(failure) }
  }
}

extension StoreError {
  /// Creates the error for some failures, or returns nil if nothing failed.
  init?(_ failures: ValidationFailures) {
    guard let first = failures.first.first else { return nil }
    self.init(
      .validationFailed,
      "\(first)\(more(failures.count - 1, "failure"))",
      advice: "correct the values, which are still there, and save again", entity: first.entity,
      attributes: first.attribute.map { [$0] } ?? [], keys: [first.key])
    self.failures = failures.first
    failureCount = failures.count
  }
}
