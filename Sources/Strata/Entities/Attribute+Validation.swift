// The writer checks a rule when a save inserts an entity or changes the attribute. It checks the
// record as the save would write it.

extension Attribute {
  private func adding(_ rule: AttributeRule) -> Self {
    var copy = self
    copy.definition.rules.append(rule)
    return copy
  }

  // MARK: Any rule

  /// Refuses values for which `isValid` is false.
  ///
  /// Every save that inserts the entity or changes the attribute checks the rule. A row from before
  /// the rule is refused only when a save changes the attribute. A save reports all its failures
  /// together and writes nothing. See ``StoreError/Code/validationFailed``.
  ///
  /// - Parameters:
  ///   - message: the text of a failure, which an app may show as it is.
  ///   - isValid: called on the writer, and on the main actor by `validate()`. It sees only the
  ///     value, must not wait, and must always give the same answer.
  public func validated(
    _ message: String, _ isValid: @escaping @Sendable (Value) -> Bool
  ) -> Self {
    adding(AttributeRule(message, isValid))
  }

  /// Refuses values other than nil for which `isValid` is false.
  ///
  /// - Parameters:
  ///   - message: the text of a failure, which an app may show as it is.
  ///   - isValid: must not wait, and must always give the same answer.
  public func validated<Wrapped: AttributeValue>(
    _ message: String, _ isValid: @escaping @Sendable (Wrapped) -> Bool
  ) -> Self where Value == Wrapped? {
    adding(AttributeRule(message, isValid))
  }

  /// Refuses nil.
  ///
  /// The attribute stays optional in Swift and in the store. An unfinished entity can therefore be
  /// edited, and rows from before the rule can be read.
  public func required<Wrapped>(
    message: String = "must have a value"
  ) -> Self where Value == Wrapped? {
    adding(AttributeRule { cell in if case .null = cell { message } else { nil } })
  }

  // MARK: Ranges

  /// Refuses values outside of a range.
  ///
  /// - Parameters:
  ///   - range: the allowed values.
  ///   - message: the text of a failure. If it is nil, the text names the bounds.
  public func validated<R: RangeExpression & Sendable>(
    _ range: R, message: String? = nil
  ) -> Self where R.Bound == Value {
    adding(AttributeRule(message ?? RangeWords.describe(range)) { range.contains($0) })
  }

  /// Refuses values other than nil outside of a range.
  ///
  /// - Parameters:
  ///   - range: the allowed values.
  ///   - message: the text of a failure. If it is nil, the text names the bounds.
  public func validated<R: RangeExpression & Sendable>(
    _ range: R, message: String? = nil
  ) -> Self where Value == R.Bound?, R.Bound: AttributeValue {
    adding(AttributeRule(message ?? RangeWords.describe(range)) { range.contains($0) })
  }
}

// MARK: - Text

extension Attribute where Value: TextValue {
  /// Refuses texts that are too short or too long, but accepts nil.
  ///
  /// - Parameters:
  ///   - length: the allowed lengths, in characters as a reader counts them, not in bytes.
  ///   - message: the text of a failure. If it is nil, the text names the bounds.
  public func validated(
    length: some RangeExpression<Int> & Sendable, message: String? = nil
  ) -> Self {
    let message = message ?? "its length " + RangeWords.describe(length)
    return adding(AttributeRule(message) { (text: String) in length.contains(text.count) })
  }

  /// Refuses texts that a regular expression does not match as a whole, but accepts nil.
  ///
  /// In Swift 5 mode, a regex literal is written `#/…/#`.
  ///
  /// - Parameters:
  ///   - regex: the expression that every text must match.
  ///   - message: the text of a failure.
  public func validated<Output>(
    matching regex: sending Regex<Output>, message: String = "must have the right form"
  ) -> Self {
    let pattern = Pattern(regex)
    return adding(AttributeRule(message) { (text: String) in pattern.matches(text) })
  }
}
