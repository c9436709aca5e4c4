/// What a layer holds for one key: a change of a row that was seen, or of one that was not.
enum LayerChange: Sendable, Equatable {
  /// `before` differs from `after`.
  case known(Change)
  case blind(BlindChange)

  var isBlind: Bool { if case .blind = self { true } else { false } }

  /// The record that the layer shows over the one below it; nil if there is none.
  func applied(to below: Record?) -> Record? {
    switch self {
    case .known(let change): change.applied(to: below)
    case .blind(let change): change.applied(to: below)
    }
  }

  /// This change, then `next`, which was made to the record that the context showed under this one;
  /// nil if together they change nothing.
  ///
  /// An attribute that both edit keeps this change's `before`, an attribute that only `next` edits
  /// starts from `next`'s. The shown record may have followed the store in attributes that this
  /// change does not edit, so the two need not meet.
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
      return LayerChange.known(both).normalized
    case (.blind(let first), .known(let second)):
      return .blind(first.composed(with: BlindChange(second)))
    case (.blind(let first), .blind(let second)):
      return .blind(first.composed(with: second))
    }
  }

  /// Nil for an identity, which no layer holds.
  private var normalized: LayerChange? {
    if case .known(let change) = self, change.isIdentity { return nil }
    return self
  }
}

/// The changes that a context has made and not yet saved, by table and key.
///
/// In normal form: one entry a key, known or blind; no known entry is an identity. Copies share
/// storage until one of them changes.
struct Layer: Sendable {
  private(set) var tables: [TableID: LayerTable] = [:]

  var isEmpty: Bool { tables.isEmpty }

  /// The number of keys changed.
  var count: Int { tables.values.reduce(0) { $0 + $1.count } }

  /// Whether writing it takes a fraction of a millisecond: few rows, and no deletion that may take
  /// others along.
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

  /// Makes the change of a key what `body` makes of it.
  mutating func replace(
    _ table: TableID, _ key: RecordKey, _ body: (LayerChange?) -> LayerChange?
  ) {
    var removed = false
    tables[table, default: LayerTable()].replace(key) { old in
      let new = body(old)
      removed = new == nil
      return new
    }
    if removed && tables[table]?.isEmpty == true { tables[table] = nil }
  }

  /// Makes room for `count` more changes of one table.
  mutating func reserve(_ count: Int, in table: TableID) {
    tables[table, default: LayerTable()].reserve(count)
  }

  /// Adds one change on top of what the layer has for the key.
  mutating func compose(_ change: LayerChange, _ table: TableID, _ key: RecordKey) {
    replace(table, key) { first in
      if let first { first.composed(with: change) } else { change }
    }
  }

  /// Adds a whole layer on top.
  mutating func compose(_ next: Layer) {
    if isEmpty {
      self = next
      return
    }
    for (table, changes) in next.tables {
      for (key, change) in changes { compose(change, table, key) }
    }
  }
}
