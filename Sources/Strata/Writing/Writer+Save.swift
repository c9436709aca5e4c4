internal import StrataSQLite

// Insertions are of new keys nearly always, so a save first presumes that they are, without looking
// them up. Whatever it writes then is right, because inserting notices a row that is there. When it
// fails instead, an insertion may be why: that its key is not new may be a conflict, which comes
// before everything else, or mean under the policy that the insertion is dropped, or is none. So
// the save is rolled back and begins anew, and this time every insertion is looked up.

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
      var effects: [DeleteEffect] = []
      let (commit, changes) = try transaction(author: author, isCounted: !freshened.isEmpty) {
        connection throws(StoreError) in
        try FreshnessTable.mark(freshened, at: options.now(), connection)
        var resolver = LayerResolver(connection, model, policy, builder, presumes: presumes)
        var working = try resolver.resolve(layer)
        hasPresumed = resolver.hasPresumed
        if !resolver.conflicts.isEmpty { throw StoreError(resolver.conflicts) }
        effects = try runRules(on: &working, connection).effects
        if model.hasRules { try SaveValidation.check(working, model) }
        return try rowWriter(connection, author: author).write(&working)
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

  /// Runs delete rules and looks for required references.
  func runRules(
    on working: inout WorkingSet, _ connection: Connection, waits: Bool = false
  ) throws(StoreError) -> (waiting: [DeleteRules.WaitingRow], effects: [DeleteEffect]) {
    guard model.hasReferences else { return ([], []) }
    if defersIndexes && working.hasDeletions { try makeDeferredIndexes(connection) }
    var rules = DeleteRules(connection, model, builder)
    let waiting = try rules.run(on: &working, waits: waits)
    return (waiting, rules.effects)
  }

  /// What a save fails with because of what is in it and in the store.
  private static let refusals: Set<StoreError.Code> = [
    .conflict, .deleteDenied, .missingReference, .validationFailed, .uniquenessViolated,
  ]
}
