extension ViewContext {
  /// Returns the failures that a save of the edits would report, without saving.
  ///
  /// It serves forms, and checks the rows that this context has in memory. A save can find more
  /// failures: other contexts may have changed rows meanwhile, and delete rules change rows.
  ///
  /// - Returns: the first thousand failures by table and key, values that cannot be stored
  ///   included.
  /// - Complexity: O(*n*) for *n* edits.
  public func validate() -> [ValidationFailure] { layers.pending.validate() }

  /// Returns the failures of inserting an entity; for forms that edit a value of their own.
  public func validate<E: Entity>(_ entity: E) -> [ValidationFailure] {
    layers.pending.validate(entity)
  }
}
