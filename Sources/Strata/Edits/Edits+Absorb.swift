// A child context's save puts its layer on top of its parent's edits.

extension Edits {
  /// A change of a child's layer, rebased for the parent.
  struct Absorbed: Sendable {
    let table: Table
    let key: RecordKey
    /// The rebased change; nil for a blind edit that leaves the parent's shown record as it is.
    let change: LayerChange?
    /// The state that the parent showed for the key.
    let shown: RecordState
  }

  /// Rebases a child's layer onto the rows that its parent shows now.
  ///
  /// A row that the parent does not know has no conflict here. A lower layer knows the row, or at
  /// the latest the writer. The same applies to an attribute that the parent has not edited, if the
  /// parent's rows may be newer than its edits.
  ///
  /// - Parameter shown: the state that the parent shows for a key over the row from which the child's
  ///   edit starts.
  /// - Throws: ``StoreError`` with code `conflict` under the policy `error`.
  func rebased(
    _ layer: Layer, by policy: SavePolicy,
    over shown: (Table, RecordKey, RecordState) -> RecordState
  ) throws(StoreError) -> [Absorbed] {
    var absorbed: [Absorbed] = []
    var conflicts: [Conflict] = []
    for id in layer.tables.keys.sorted() {
      let table = model[id]
      // A link never conflicts.
      let policy = table.policy(policy)
      for entry in layer.tables[id]?.inKeyOrder ?? [] {
        guard let change = entry.change else { continue }
        let key = entry.key
        let below = shown(table, key, change.start)
        let rebased: LayerChange?
        switch (change, below) {
        case (_, .unknown): rebased = change
        case (.blind(let change), _):
          let known = table.meet(change, below.record)
          // An edit of a link stays blind. A known link that is removed again would leave no edit,
          // also if another context has made the same link meanwhile.
          rebased = known.isIdentity ? nil : table.isJoin ? .blind(change) : .known(known)
        case (.known(let change), _):
          let meeting = table.meet(change, below.record)
          if policy == .error && !meeting.conflicting.isEmpty {
            conflicts.append(table.conflict(meeting, key: key))
          }
          rebased = meeting.resolved(by: policy).map(LayerChange.known)
        }
        if rebased != nil || change.isBlind {
          absorbed.append(Absorbed(table: table, key: key, change: rebased, shown: below))
        }
      }
    }
    if !conflicts.isEmpty { throw StoreError(conflicts) }
    return absorbed
  }

  /// Puts a child's change on top of this context's edits; an existing edit keeps its first
  /// `before`.
  mutating func absorb(_ absorbed: Absorbed) {
    guard let edit = absorbed.change else { return }
    let done =
      if case .known(let change) = edit {
        change
      } else {
        Change(before: absorbed.shown.record, after: edit.applied(to: absorbed.shown.record))
      }
    let (table, key) = (absorbed.table.id, absorbed.key)
    compose(edit, over: layer[table, key], shown: done, table, key)
  }
}

extension ViewLayers {
  /// Puts edits of rows that the context showed on top of its edits, as one undo group.
  ///
  /// - Returns: the edited keys.
  mutating func make(_ edits: Edits) -> [TableID: Set<RecordKey>] {
    var edited: [TableID: Set<RecordKey>] = [:]
    pending.undo.begin(nil)
    for (id, changes) in edits.layer.tables {
      let table = pending.model[id]
      for (key, change) in changes {
        guard case .known(let change) = change, let before = change.before,
          let now = state(of: key, in: table, inHand: before).record,
          pending.make(Change(before: now, after: change.applied(to: now)), id, key)
        else { continue }
        didEdit(key, in: table)
        edited[id, default: []].insert(key)
      }
    }
    pending.undo.end()
    pending.reject(as: edits)
    return edited
  }
}

extension Edits {
  /// Makes an update or a deletion of the row that the context shows; returns false if it changes nothing.
  @discardableResult
  mutating func make(_ edit: Change, _ table: TableID, _ key: RecordKey) -> Bool {
    if edit.isIdentity { return false }
    let old = layer[table, key]
    let isBlindDeletion = edit.after == nil && old?.isBlind == true
    compose(isBlindDeletion ? .blind(.set(nil)) : .known(edit), over: old, shown: edit, table, key)
    return true
  }
}
