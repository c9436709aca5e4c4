extension ViewContext {
  /// What a save would find invalid in the edits, without saving: for forms.
  ///
  /// Checks what this context knows, in memory. A save can still find more: what somebody else has
  /// changed meanwhile, and what delete rules change.
  ///
  /// - Returns: the first thousand failures by table and key; values that cannot be stored are
  ///   among them.
  /// - Complexity: O(*n*) of the edits.
  public func validate() -> [ValidationFailure] { layers.pending.validate() }

  /// What inserting an entity would find invalid: for forms that edit a value of their own.
  public func validate<E: Entity>(_ entity: E) -> [ValidationFailure] {
    layers.pending.validate(entity)
  }
}
