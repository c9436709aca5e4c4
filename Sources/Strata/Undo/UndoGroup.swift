/// What one edit did to a key, as far as it takes to undo it.
enum UndoChange: Sendable {
  /// The record that the context showed before and after the edit.
  case known(Change)
  /// An edit of a row that nobody has seen: what the layer had for the key before and after it.
  case blind(LayerChange?, LayerChange?)
  /// The row was deleted by somebody else: there is nothing to undo, which is reported.
  case gone

  /// This edit and a later one of the same key, as one.
  func joined(with next: UndoChange) -> UndoChange? {
    switch (self, next) {
    case (.known(let first), .known(let second)):
      switch LayerChange.known(first).joined(with: .known(second)) {
      case .known(let change): return .known(change)
      case .blind, nil: return nil
      }
    case (.blind(let first, _), .blind(_, let last)): return .blind(first, last)
    case (.known, .blind), (.blind, .known), (_, .gone), (.gone, _): return next
    }
  }
}

/// Edits that are undone together.
struct UndoGroup: Sendable {
  var name: String?
  /// Later groups have higher numbers, whether done, undone or done again.
  let number: Int
  private(set) var tables: [TableID: [RecordKey: UndoChange]] = [:]

  init(name: String?, number: Int) {
    self.name = name
    self.number = number
  }

  var isEmpty: Bool { tables.isEmpty }

  subscript(table: TableID, key: RecordKey) -> UndoChange? {
    get { tables[table]?[key] }
    set {
      tables[table, default: [:]][key] = newValue
      if tables[table]?.isEmpty == true { tables[table] = nil }
    }
  }

  /// Adds an edit that follows those of the group.
  mutating func add(_ change: UndoChange, _ table: TableID, _ key: RecordKey) {
    self[table, key] = self[table, key].map { $0.joined(with: change) } ?? change
  }

  /// Notes that blind edits are on top of a layer that they were not part of.
  mutating func join(onto layer: Layer) {
    for (table, changes) in tables {
      for (key, change) in changes {
        guard case .blind(let old, let new) = change, let low = layer[table, key] else { continue }
        self[table, key] = .blind(
          old.map { low.joined(with: $0) } ?? low, new.map { low.joined(with: $0) } ?? low)
      }
    }
  }

  /// Whether the group brought a row back.
  func restores(_ table: TableID, _ key: RecordKey) -> Bool {
    if case .known(let change)? = self[table, key] { change.before == nil } else { false }
  }

  /// Whether the group deleted a row.
  func deletes(_ table: TableID, _ key: RecordKey) -> Bool {
    if case .known(let change)? = self[table, key] { change.after == nil } else { false }
  }
}
