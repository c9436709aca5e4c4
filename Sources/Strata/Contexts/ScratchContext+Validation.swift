extension ScratchContext {
  /// What a save would find invalid in the edits, without saving.
  ///
  /// Checks what this context knows, in memory: of a row that is replaced unread every attribute,
  /// of one that an import patches the attributes that it sets. A save can still find more: what
  /// somebody else has changed meanwhile, and what delete rules change.
  ///
  /// - Returns: the first thousand failures by table and key; values that cannot be stored are
  ///   among them.
  /// - Complexity: O(*n*) of the edits.
  public func validate() -> [ValidationFailure] { edits.validate() }

  /// What inserting an entity would find invalid.
  public func validate<E: Entity>(_ entity: E) -> [ValidationFailure] { edits.validate(entity) }
}
