// Rules are checked when an entity is inserted, and when a save changes the attribute, in the
// writer, on the record as the save would write it.

extension Attribute {
  private func adding(_ rule: AttributeRule) -> Self {
    var copy = self
    copy.definition.rules.append(rule)
    return copy
  }

  // MARK: Any rule

  /// Refuses values for which `isValid` is false.
  ///
  /// Checked by every save that inserts the entity or changes the attribute: a row that was there
  /// before the rule was is refused only once somebody changes the attribute. All failures of a
  /// save are reported together, and nothing is written; see ``StoreError/Code/validationFailed``.
  ///
  /// - Parameters:
  ///   - message: what a failure says; an app may show it as it is.
  ///   - isValid: called on the writer, and on the main actor by `validate()`; it sees the value
  ///     alone, must not wait, and must always answer the same.
  public func validated(
    _ message: String, _ isValid: @escaping @Sendable (Value) -> Bool
  ) -> Self {
    adding(AttributeRule(message, isValid))
  }

  /// Refuses values other than nil for which `isValid` is false.
  ///
  /// - Parameters:
  ///   - message: what a failure says; an app may show it as it is.
  ///   - isValid: must not wait, and must always answer the same.
  public func validated<Wrapped: AttributeValue>(
    _ message: String, _ isValid: @escaping @Sendable (Wrapped) -> Bool
  ) -> Self where Value == Wrapped? {
    adding(AttributeRule(message, isValid))
  }

  /// Refuses nil.
  ///
  /// The attribute stays optional in Swift and in the store, so that an unfinished entity can be
  /// edited and rows from before the rule can be read.
  public func required<Wrapped>(
    message: String = "must have a value"
  ) -> Self where Value == Wrapped? {
    adding(AttributeRule { cell in if case .null = cell { message } else { nil } })
  }

  // MARK: Ranges

  /// Refuses values outside of a range.
  ///
  /// - Parameters:
  ///   - range: the values that are taken.
  ///   - message: what a failure says; nil names the bounds.
  public func validated<R: RangeExpression & Sendable>(
    _ range: R, message: String? = nil
  ) -> Self where R.Bound == Value {
    adding(AttributeRule(message ?? RangeWords.describe(range)) { range.contains($0) })
  }

  /// Refuses values other than nil outside of a range.
  ///
  /// - Parameters:
  ///   - range: the values that are taken.
  ///   - message: what a failure says; nil names the bounds.
  public func validated<R: RangeExpression & Sendable>(
    _ range: R, message: String? = nil
  ) -> Self where Value == R.Bound?, R.Bound: AttributeValue {
    adding(AttributeRule(message ?? RangeWords.describe(range)) { range.contains($0) })
  }
}

// MARK: - Text

extension Attribute where Value: TextValue {
  /// Refuses texts that are shorter or longer; nil is neither.
  ///
  /// - Parameters:
  ///   - length: in characters as a reader counts them, not in bytes.
  ///   - message: what a failure says; nil names the bounds.
  public func validated(
    length: some RangeExpression<Int> & Sendable, message: String? = nil
  ) -> Self {
    let message = message ?? "its length " + RangeWords.describe(length)
    return adding(AttributeRule(message) { (text: String) in length.contains(text.count) })
  }

  /// Refuses texts that a regular expression does not match as a whole; nil is not matched.
  ///
  /// In Swift 5 mode a literal is written `#/…/#`.
  ///
  /// - Parameters:
  ///   - regex: what every text has to match.
  ///   - message: what a failure says.
  public func validated<Output>(
    matching regex: sending Regex<Output>, message: String = "must have the right form"
  ) -> Self {
    let pattern = Pattern(regex)
    return adding(AttributeRule(message) { (text: String) in pattern.matches(text) })
  }
}
