internal import StrataSQLite

// A save first presumes that every insertion has a new key, without a look-up, because nearly all
// insertions have new keys. If the save succeeds, the presumption was right, because an insertion
// of a stored key fails. If the save fails, such an insertion may be the cause. It may be a
// conflict, which comes before every other error. The policy may also drop or allow it. So the save
// is rolled back and runs again, and looks up every insertion.

extension Writer {
  /// Writes a layer as one commit and reports its changes.
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
          store: transaction.store, policy: policy,
          presumes: presumes)
        var working = try resolver.resolve(layer)
        hasPresumed = resolver.hasPresumed
        if !resolver.conflicts.isEmpty { throw StoreError(resolver.conflicts) }
        let effects = try transaction.applyRules(to: &working)
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

  /// The codes of the errors that a layer and the store's rows cause.
  private static let refusals: Set<StoreError.Code> = [
    .conflict, .deleteDenied, .missingReference, .validationFailed, .uniquenessViolated,
  ]
}
