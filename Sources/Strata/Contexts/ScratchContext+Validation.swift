extension ScratchContext {
  /// Returns the failures that a save of the edits would report, without saving.
  ///
  /// It checks the edits in memory. For a row that is replaced unread, it checks every attribute;
  /// for a row that an import patches, only the attributes that the import sets. A save can find
  /// more failures: other contexts may have changed rows meanwhile, and delete rules change rows.
  ///
  /// - Returns: the first thousand failures by table and key, values that cannot be stored
  ///   included.
  /// - Complexity: O(*n*) for *n* edits.
  public func validate() -> [ValidationFailure] { edits.validate() }

  /// Returns the failures of inserting an entity.
  public func validate<E: Entity>(_ entity: E) -> [ValidationFailure] { edits.validate(entity) }
}
