internal import StrataSQLite

/// The step that writes an import's rows in an open transaction.
///
/// The rows go through the phases of a save, with two differences. A row may wait for a row to
/// which it refers, or for a unique value that another row has. Rows that break rules may be left out, so that one bad record does not cost a
/// whole batch.
struct ImportWriter {
  var saving: ImportTarget.Saving
  var outcome = BatchOutcome()
  /// The links that were dropped, because they lead to rows that do not exist.
  var looseLinks: [(table: Table, link: Record)] = []
  /// Whether the transaction writes the import's marks.
  var isLast = false
  /// Whether no row can give up a unique value any more.
  var isFinal = false
  /// The rows that stay although the server has deleted them.
  private var stayed: [WorkingSet.Place] = []
  /// The rows that are left out before the last rows are written.
  var dropped: [WorkingSet.Place] = []

  init(_ saving: ImportTarget.Saving) { self.saving = saving }

  /// Runs `body` in a transaction, and writes the import's marks at its end.
  static func run(
    on writer: isolated Writer, _ saving: ImportTarget.Saving, author: String,
    _ body: (inout ImportWriter, inout Transaction) throws(StoreError) -> Void
  ) throws(StoreError) -> BatchOutcome {
    let start = ContinuousClock.now
    var (commit, outcome) = try writer.transaction(author: author) {
      transaction throws(StoreError) in
      var importing = ImportWriter(saving)
      transaction.isImport = true
      try body(&importing, &transaction)
      try importing.mark(in: &transaction)
      return importing.outcome
    }
    outcome.commit = commit
    outcome.duration = start.duration(to: .now)
    outcome.hasHeldUp = writer.queue.hasUrgentWork
    return outcome
  }

  /// Writes the import's marks, and forgets validators that no longer hold.
  private mutating func mark(in transaction: inout Transaction) throws(StoreError) {
    let claim = saving.marks.claim
    var losses = outcome.losses.union(saving.marks.losses)
    if isLast && !outcome.waiting.isEmpty { losses.insert(.refusedRecord) }
    for loss in losses
    where try ValidatorTable.note(loss, of: claim?.entry, transaction.connection) {
      transaction.isCounted = true
    }
    let changed = outcome.changed.sorted().map { transaction.model[$0] }
    if try ValidatorTable.note(
      claim == nil ? .message : .otherFeed, of: claim?.entry, in: changed, transaction.connection)
    {
      transaction.isCounted = true
    }
    guard isLast && !saving.marks.isEmpty else { return }
    try transaction.markFresh(saving.marks.identities)
    if let claim {
      try ValidatorTable.complete(
        claim, tables: saving.tables.sorted().map { transaction.model[$0] },
        wholeTables: saving.marks.wholeTables.sorted().map { transaction.model[$0] },
        transaction.connection)
    }
    transaction.isCounted = true
  }

  // MARK: - Rows

  /// Writes a batch, and drops the indexes of an empty table that it fills.
  mutating func write(
    _ batch: RecordBatch, in transaction: inout Transaction
  ) throws(StoreError) {
    outcome.count += batch.count
    let changes = try write(batch.layer, in: &transaction)
    try saving.load?.dropIndexes(after: changes, in: &transaction)
  }

  /// Writes a layer with the edits that wait laid over it, except for held updates, waiting rows and
  /// refused rows.
  ///
  /// - Returns: the changes of these rows alone.
  @discardableResult
  mutating func write(
    _ layer: Layer, in transaction: inout Transaction
  ) throws(StoreError) -> [TableID: TableChanges] {
    let (store, model) = (transaction.store, transaction.model)
    var layer = layer
    var met = MetRows(answers: saving.answers, policy: saving.policy)
    try RowMatch.follow(saving.matches, layer, notedIn: saving.noted, in: &transaction)
    let local = try LocalRows(store)
    outcome.keptLocal += try local?.keep(&layer, in: &transaction) ?? 0
    try transaction.noteServerRows(layer)
    let protected = try ProtectedRows(store, pushed: saving.pushed, besides: local)
    if let protected {
      let shielded = try protected.shield(&layer)
      outcome.note(shielded)
      stayed += shielded.deletions
    }
    // Rows that come again meet the edits again.
    let server = layer
    var leftOut = ProtectedRows.LeftOut()
    if protected != nil {
      leftOut = try met.meet(&layer, store)
    }
    var resolver = LayerResolver(store: store, policy: .error, presumes: false)
    var working = try resolver.resolve(layer)
    // A later record of the key may also take back how the edits of a row have moved.
    let moved = saving.holdsUpdates ? met.takeMoved(from: &working) : []
    let hidden = moved.count { layer[$0.table, $0.key] == nil }
    leftOut.kept -= hidden
    outcome.note(leftOut)
    let held = moved + (saving.holdsUpdates ? working.takeUpdates(model) : [])
    for (table, key) in held {
      if let change = server[table, key] { outcome.held.layer.compose(change, table, key) }
    }
    let gone = saving.insertsNothing ? working.takeInsertions(besides: met) : []
    outcome.kept += gone.count
    var skipped = held.count - hidden + gone.count
    if protected != nil && model.hasRules { try met.setBrokenAside(in: &working, transaction) }
    let refusedBefore = outcome.refused.count
    if saving.skipsRefused && model.hasRules {
      let failures = SaveValidation.takeBackRefused(&working, model)
      skipped += Set(failures.map(\.key)).count
      outcome.refused += failures
    }
    let hindered =
      if isFinal, let protected {
        try takeHindered(from: &working, by: protected, in: &transaction)
      } else {
        [WorkingSet.Place]()
      }
    outcome.kept += hindered.count
    skipped += hindered.count
    var (waiting, effects, _) = try runRules(
      on: &working, waits: saving.waits, in: &transaction)
    let aside = protected == nil ? 0 : try met.makeRoom(in: &working, transaction)
    let takenWait = saving.waits && !isFinal && (saving.takenWait || saving.skipsRefused)
    while takenWait || saving.skipsRefused {
      let taken = try UniqueValues(store: store)
        .takeBackRefused(&working)
      if taken.isEmpty { break }
      if takenWait {
        waiting += taken.map { DeleteRules.WaitingRow(table: $0.table, key: $0.failure.key) }
      } else {
        skipped += taken.count
        outcome.refused += taken.map(\.failure)
      }
      // A row that requires a left-out row is left out, too.
      let further = try transaction.runRules(on: &working, waits: saving.waits)
      waiting += further.waiting
      effects += further.effects
    }
    note(effects, of: layer, model)
    try SaveValidation.check(working, model)
    if working.hasDeletions(where: { !model[$0].isJoin }) { outcome.note(.deletion) }
    let changes = try transaction.write(&working)
    if let noted = saving.noted,
      met.hasSetAside || changes.values.contains(where: { $0.deletions ?? 0 > 0 })
    {
      try noted.followNow(changes)
    }
    let left = held + gone + hindered + waiting.map { ($0.table, $0.key) }
    try met.write(without: left, outcome.refused[refusedBefore...], in: &transaction)
    for row in waiting {
      if let change = server[row.table, row.key] {
        outcome.waiting.layer.compose(change, row.table, row.key)
      }
    }
    outcome.note(changes, of: layer.count - waiting.count - skipped, in: layer.tables.keys)
    // A row that was set aside waits in the outbox.
    outcome.deleted -= aside
    return changes
  }

  /// Runs the delete rules and looks for required references.
  ///
  /// If rows may wait, a deletion that a rule forbids waits, too, because the row that holds it may
  /// be deleted later.
  ///
  /// - Returns: the rows that wait, and the reasons of the denials among them.
  private func runRules(
    on working: inout WorkingSet, waits: Bool, in transaction: inout Transaction
  ) throws(StoreError) -> (
    waiting: [DeleteRules.WaitingRow], effects: [DeleteEffect], denials: [StoreError]
  ) {
    guard waits, transaction.model.hasReferences else {
      let (waiting, effects) = try transaction.runRules(on: &working, waits: waits)
      return (waiting, effects, [])
    }
    var denials: [StoreError] = []
    var denied = working.takeDeletions()
    var going: [WorkingSet.Deletion]
    repeat {
      let found = try DeleteRules.permitted(of: denied) {
        deletions throws(StoreError) -> StoreError? in
        var attempt = working
        attempt.add(deletions)
        do throws(StoreError) {
          _ = try transaction.runRules(on: &attempt, waits: true)
          return nil
        } catch {
          guard error.code == .deleteDenied else { throw error }
          return error
        }
      }
      going = found.going
      working.add(going)
      denied = found.refused.map(\.deletion)
      denials = found.refused.map(\.reason)
      // A row that denied a deletion may go now.
    } while !denied.isEmpty && !going.isEmpty
    var (waiting, effects) = try transaction.runRules(on: &working, waits: true)
    waiting += denied.map { DeleteRules.WaitingRow(table: $0.table, key: $0.row.key) }
    return (waiting, effects, denials)
  }

  /// Takes out the rows that cannot be stored because of an edit that waits. They stay as they are.
  ///
  /// Such a row requires a row that is deleted here, is deleted while an edit refers to it, or has a unique
  /// value of a row that stays for this reason.
  private func takeHindered(
    from working: inout WorkingSet, by protected: ProtectedRows, in transaction: inout Transaction
  ) throws(StoreError) -> [WorkingSet.Place] {
    guard transaction.model.hasReferences else { return [] }
    var hindered = HinderedRows(protected, transaction, staying: stayed, dropped: dropped)
    var found: [WorkingSet.Place]
    repeat {
      var attempt = working
      let (waiting, _, denials) = try runRules(on: &attempt, waits: true, in: &transaction)
      found = try hindered.find(waiting, denials, in: &working, lacking: &attempt)
      found += try hindered.findTaken(in: &working)
      for (table, key) in found { working.take(from: table) { $0.key == key } }
    } while !found.isEmpty
    return hindered.places
  }

  /// Notes the links that rules dropped, and whether rules changed other rows that the feed may have.
  private mutating func note(_ effects: [DeleteEffect], of layer: Layer, _ model: Model) {
    for effect in effects {
      if model[effect.table].isJoin, let change = layer[effect.table, effect.key] {
        if let link = change.applied(to: nil) { looseLinks.append((model[effect.table], link)) }
      } else if saving.tables.contains(effect.table) {
        outcome.note(.ruleEffect)
      }
    }
  }
}

extension WorkingSet {
  /// Takes the rows to delete out of the set.
  fileprivate mutating func takeDeletions() -> [Deletion] {
    tableIDs.flatMap { id in
      take(from: id) { $0.before != nil && $0.after == nil }.map { (id, $0) }
    }
  }
}

extension TableChanges {
  /// The number of deleted rows; nil if the changes are too many to list.
  var deletions: Int? {
    guard case .rows(let rows) = self else { return nil }
    return rows.count { $0.change.after == nil }
  }
}
