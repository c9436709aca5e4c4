/// A layer's change of one key: known if the row was seen, blind if it was not.
enum LayerChange: Sendable, Equatable {
  /// A change with both records, which differ.
  case known(Change)
  case blind(BlindChange)

  var isBlind: Bool { if case .blind = self { true } else { false } }

  /// The row from which a known update or deletion starts; unknown for an insertion or a blind
  /// change.
  var start: RecordState {
    if case .known(let change) = self, let before = change.before {
      .record(before)
    } else {
      .unknown
    }
  }

  /// Returns the record that the layer shows over the record below; nil if it shows none.
  func applied(to below: Record?) -> Record? {
    switch self {
    case .known(let change): change.applied(to: below)
    case .blind(let change): change.applied(to: below)
    }
  }

  /// Returns this change followed by `next`; nil if together they change nothing.
  ///
  /// `next` was made to the record that the context showed with this change. An attribute that both
  /// changes edit keeps this change's `before`. An attribute that only `next` edits starts from the
  /// `before` of `next`. This value may differ from this change's `after`: the shown record may
  /// have followed the store in attributes that this change does not edit.
  func composed(with next: LayerChange) -> LayerChange? {
    switch (self, next) {
    case (.known(let first), .known(let second)):
      let before =
        switch (first.before, first.after, second.before) {
        case (let before?, let after?, let shown?):
          shown.replacing(after.differences(from: before), from: before)
        case (let before, _, _): before
        }
      return LayerChange.known(Change(before: before, after: second.after)).normalized
    case (.known(let first), .blind(let second)):
      let both = Change(before: first.before, after: second.applied(to: first.after))
      // A blind change holds whatever the store has, so none cancels it.
      return both.isIdentity ? next : .known(both)
    case (.blind(let first), .known(let second)):
      return .blind(first.composed(with: BlindChange(second)))
    case (.blind(let first), .blind(let second)):
      return .blind(first.composed(with: second))
    }
  }

  /// The change itself; nil for an identity, which no layer holds.
  private var normalized: LayerChange? {
    if case .known(let change) = self, change.isIdentity { return nil }
    return self
  }
}

/// The unsaved changes of a context, by table and key.
///
/// A layer is in normal form: each key has a single entry, known or blind, and no known entry is an
/// identity. Copies share storage until a copy changes.
struct Layer: Sendable {
  private(set) var tables: [TableID: LayerTable] = [:]
  /// The own saves that replaced the `before` of known changes.
  ///
  /// A save that meets neither row of such a pair compares the stored row with the pair's `after`.
  private var ownSaves: [TableID: [RecordKey: Change]] = [:]
  /// The keys that are noted for the lists that the context keeps in order.
  var notes = LayerNotes()

  var isEmpty: Bool { tables.isEmpty }

  /// The number of changed keys.
  var count: Int { tables.values.reduce(0) { $0 + $1.count } }

  /// The changed keys.
  var keys: [TableID: Set<RecordKey>] { tables.mapValues { Set($0.map(\.key)) } }

  /// Whether writing the layer takes a fraction of a millisecond.
  ///
  /// Such a layer has few rows and no deletion to which a delete rule may apply.
  func isShort(_ model: Model) -> Bool {
    count <= 32
      && tables.allSatisfy { table, changes in
        model[table].referrers.isEmpty || changes.allSatisfy { $0.1.applied(to: nil) != nil }
      }
  }

  subscript(table: TableID, key: RecordKey) -> LayerChange? {
    get { tables[table]?[key] }
    set { replace(table, key) { _ in newValue } }
  }

  /// Replaces the change of a key with the result of `body`.
  mutating func replace(
    _ table: TableID, _ key: RecordKey, _ body: (LayerChange?) -> LayerChange?
  ) {
    notes.note(table, key)
    var removed = false
    tables[table, default: LayerTable()].replace(key) { old in
      let new = body(old)
      removed = new == nil
      return new
    }
    if removed && tables[table]?.isEmpty == true { tables[table] = nil }
  }

  /// Notes that an own save replaced the row from which the context's change of a key starts.
  mutating func note(ownSave: Change, _ table: TableID, _ key: RecordKey) {
    ownSaves[table, default: [:]][key] = ownSave
  }

  /// Returns the row that an own save wrote over the `before` of a key's change; nil if none did.
  func savedRow(under change: Change, _ table: TableID, _ key: RecordKey) -> Record? {
    guard let save = ownSaves[table]?[key], save.before == change.before else { return nil }
    return save.after
  }

  /// Adds a change on top of the layer's change of the key.
  mutating func compose(_ change: LayerChange, _ table: TableID, _ key: RecordKey) {
    if !ownSaves.isEmpty && composeOverOwnSave(change, table, key) { return }
    replace(table, key) { first in
      if let first { first.composed(with: change) } else { change }
    }
  }

  /// Adds a change below the layer's change of the key.
  mutating func composeBelow(_ change: LayerChange, _ table: TableID, _ key: RecordKey) {
    replace(table, key) { later in
      if let later { change.composed(with: later) } else { change }
    }
  }

  /// Adds a change on top of a change whose `before` an own save replaced.
  ///
  /// An attribute that is set back starts from the saved value. If it started from the replaced
  /// value, the two changes would cancel each other, and the store would keep the saved value.
  ///
  /// - Returns: whether the key has such a change.
  private mutating func composeOverOwnSave(
    _ change: LayerChange, _ table: TableID, _ key: RecordKey
  ) -> Bool {
    guard case .known(let first)? = self[table, key], let before = first.before,
      let saved = savedRow(under: first, table, key), let after = change.applied(to: first.after)
    else { return false }
    let replaced = saved.differences(from: before)
    let kept = after.differences(from: before).intersection(replaced)
    let start = saved.replacing(kept, from: before)
    let restarted = LayerChange.known(Change(before: start, after: first.after))
    let both = restarted.composed(with: change)
    self[table, key] = both
    if case .known(let both)? = both, let start = both.before {
      let ownSave = Change(before: start, after: start.replacing(replaced, from: saved))
      note(ownSave: ownSave, table, key)
    }
    return true
  }

  /// Adds another layer on top.
  mutating func compose(_ next: Layer) {
    if isEmpty {
      self = next
      notes = LayerNotes()
      return
    }
    for (table, saves) in next.ownSaves {
      for (key, save) in saves where self[table, key] == nil { note(ownSave: save, table, key) }
    }
    for (table, changes) in next.tables {
      for (key, change) in changes { compose(change, table, key) }
    }
  }
}
