internal import StrataSQLite

// A save first presumes that every insertion has a new key, without looking it up: nearly all have.
// A save that succeeds so is right, because an insertion of a stored key fails. If it fails, the
// cause may be such an insertion: it may be a conflict, which comes before every other error, or be
// dropped by the policy, or be allowed. So the save is rolled back and runs again, and looks every
// insertion up.

extension Writer {
  /// Writes a layer as one commit.
  ///
  /// - Returns: the number of the commit that has the layer's result: a new one, or the newest
  ///   one if nothing differed from the store.
  func save(
    _ layer: Layer, policy: SavePolicy, author: String? = nil
  ) throws(StoreError) -> Int64 {
    try saveReporting(layer, policy: policy, author: author).commit
  }

  /// Writes a layer as one commit and says what it changed.
  func saveReporting(
    _ layer: Layer, policy: SavePolicy, author: String? = nil,
    marking freshened: Set<CacheIdentity> = []
  ) throws(StoreError) -> SaveReport {
    func attempt(
      presuming presumes: Bool, _ hasPresumed: inout Bool
    ) throws(StoreError) -> SaveReport {
      let (commit, (changes, effects)) = try transaction(author: author) {
        transaction throws(StoreError) in
        try transaction.markFresh(freshened)
        var resolver = LayerResolver(
          transaction.connection, model, policy, builder, presumes: presumes)
        var working = try resolver.resolve(layer)
        hasPresumed = resolver.hasPresumed
        if !resolver.conflicts.isEmpty { throw StoreError(resolver.conflicts) }
        let effects = try transaction.runRules(on: &working).effects
        if model.hasRules { try SaveValidation.check(working, model) }
        return (try transaction.write(&working), effects)
      }
      return SaveReport(commit: commit, changes: changes, effects: effects)
    }
    var hasPresumed = false
    do throws(StoreError) {
      return try attempt(presuming: true, &hasPresumed)
    } catch {
      guard hasPresumed, Self.refusals.contains(error.code) else { throw error }
      return try attempt(presuming: false, &hasPresumed)
    }
  }

  /// The errors that the layer and the store's rows cause.
  private static let refusals: Set<StoreError.Code> = [
    .conflict, .deleteDenied, .missingReference, .validationFailed, .uniquenessViolated,
  ]
}
