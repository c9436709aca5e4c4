/// An attribute of an entity that could not be stored or read, and the reason.
struct CodingFailure: Error {
  /// The work that failed.
  enum Problem: Sendable {
    /// A value of an entity cannot be stored.
    case unstorable
    /// A value that an update computes cannot be stored.
    case computed
    /// A stored value cannot be read.
    case unreadable
    /// A sum of values that can all be stored is out of range.
    case sum
    /// Two groups are different in the store and equal in Swift.
    case equalGroups
  }

  let column: Int
  let error: ValueError
  let problem: Problem
  /// The cells of the group whose value failed; empty for other values.
  var group: [Cell] = []

  init(column: Int, error: ValueError, _ problem: Problem = .unstorable) {
    self.column = column
    self.error = error
    self.problem = problem
  }

  /// Returns the failure of a row that has some of the columns of a table.
  func mapped(_ columns: [Int]) -> CodingFailure {
    var copy = CodingFailure(column: columns[column], error: error, problem)
    copy.group = group
    return copy
  }
}

extension Table {
  /// Returns the error for an attribute that could not be stored or read.
  ///
  /// - Parameter key: the key of the row; nil if there is no single row, or if its key is unknown.
  func error(_ failure: CodingFailure, key: RecordKey?) -> StoreError {
    let name = attributeName(failure.column)
    let row = key.map { " of \($0)" } ?? ""
    let group = failure.group.map { "\($0)" }.joined(separator: ", ")
    let place = row + (group.isEmpty ? "" : " in the group \(group)")
    let (message, advice) =
      switch failure.problem {
      case .unstorable:
        (
          "\(name)\(place): \(failure.error.message)",
          "give the attribute a value that its type can store"
        )
      case .computed:
        (
          "the computed \(name)\(place): \(failure.error.message)",
          "compute a value that the attribute can hold, or leave the row out of the query"
        )
      case .unreadable:
        (
          "the stored \(name)\(place): \(failure.error.message)",
          "let the type read the stored value, or store another value there with "
            + "stack.update(query, .set(…))"
        )
      case .sum:
        (
          "the sum of \(name)\(place): \(failure.error.message)",
          "sum fewer entities at once, or ask for the average"
        )
      case .equalGroups:
        (
          "two groups by \(name) are equal and stored differently: \(failure.error.message)",
          "store the value in one form with stack.update(query, .set(…))"
        )
      }
    return StoreError(
      .invalidValue, message, advice: advice, entity: entity,
      attributes: [columns[failure.column].name], keys: key.map { [$0] } ?? [])
  }
}
