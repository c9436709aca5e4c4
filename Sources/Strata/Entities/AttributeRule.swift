/// A rule of one attribute, without its type.
struct AttributeRule: Sendable {
  /// The message for a cell that the rule refuses; nil for a valid cell.
  let refusal: @Sendable (Cell) -> String?

  init(_ refusal: @escaping @Sendable (Cell) -> String?) { self.refusal = refusal }

  /// Creates a rule about the values of a type.
  ///
  /// If the type is not optional, null obeys the rule.
  init<V: AttributeValue>(
    _ message: String, _ isValid: @escaping @Sendable (V) -> Bool
  ) {
    self.init { cell in
      if case .null = cell, !V.isOptional { return nil }
      // A cell that the type cannot read is not a valid value.
      do throws(ValueError) { return isValid(try V(cell: cell)) ? nil : message } catch {
        return error.message
      }
    }
  }
}

/// A description of ranges for messages.
enum RangeWords {
  static func describe<R: RangeExpression>(_ range: R) -> String {
    switch range {
    case let range as ClosedRange<R.Bound>:
      "must be between \(range.lowerBound) and \(range.upperBound)"
    case let range as Range<R.Bound>:
      "must be at least \(range.lowerBound) and less than \(range.upperBound)"
    case let range as PartialRangeFrom<R.Bound>: "must be at least \(range.lowerBound)"
    case let range as PartialRangeThrough<R.Bound>: "must be at most \(range.upperBound)"
    case let range as PartialRangeUpTo<R.Bound>: "must be less than \(range.upperBound)"
    default: "must be in \(range)"
    }
  }
}

/// A regular expression that several threads may use, one after the other.
///
/// `Regex` is not `Sendable`, because its parts may be code.
final class Pattern<Output>: Sendable {
  private let regex: Lock<Regex<Output>>

  init(_ regex: sending Regex<Output>) { self.regex = Lock(regex) }

  func matches(_ text: String) -> Bool {
    regex.withLock { (try? $0.wholeMatch(in: text)) != nil }
  }
}
