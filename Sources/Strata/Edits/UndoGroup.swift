/// Edits that are undone together.
///
/// A save that begins while the group is open divides the group. Earlier edits belong to the save,
/// later edits do not.
struct UndoGroup: Sendable {
  /// The edits of a group between two saves.
  struct Part: Sendable {
    /// The part's number; later parts have higher numbers, whether done, undone or redone.
    let number: Int
    private(set) var tables: [TableID: [RecordKey: UndoChange]] = [:]

    init(number: Int) { self.number = number }

    var isEmpty: Bool { tables.isEmpty }

    subscript(table: TableID, key: RecordKey) -> UndoChange? {
      get { tables[table]?[key] }
      set {
        tables[table, default: [:]][key] = newValue
        if tables[table]?.isEmpty == true { tables[table] = nil }
      }
    }

    /// Adds an edit that follows the edits of the part.
    mutating func add(_ change: UndoChange, _ table: Table, _ key: RecordKey) {
      guard let first = self[table.id, key] else {
        self[table.id, key] = change
        return
      }
      self[table.id, key] = first.joined(with: change, in: table)
    }

    /// Joins the part's edits with the layer of a failed save, which lies below them again.
    mutating func join(onto layer: Layer) {
      for (table, changes) in tables {
        for (key, change) in changes {
          guard let step = change.layer, let low = layer[table, key] else { continue }
          func joined(_ change: LayerChange?) -> LayerChange? {
            change.map { low.composed(with: $0) } ?? low
          }
          self[table, key]?.layer = .init(before: joined(step.before), after: joined(step.after))
        }
      }
    }

    /// Determines the effect of edits on a row that was unknown when they were made.
    mutating func meet(_ row: Record?, _ table: TableID, _ key: RecordKey) {
      guard let edit = self[table, key], edit.shown == nil, let step = edit.layer else { return }
      func result(_ change: LayerChange?) -> Record? { change.map { $0.applied(to: row) } ?? row }
      let change = Change(before: result(step.before), after: result(step.after))
      if change.isIdentity { self[table, key] = nil } else { self[table, key]?.shown = change }
    }
  }

  var name: String?
  /// The number with which the group began.
  let number: Int
  /// The parts from the oldest to the newest; never empty.
  private(set) var parts: [Part]

  init(name: String?, number: Int) {
    self.name = name
    self.number = number
    parts = [Part(number: number)]
  }

  var isEmpty: Bool { parts.allSatisfy(\.isEmpty) }

  /// Begins a new part, because a save begins.
  mutating func divide(_ number: Int) {
    if parts[parts.count - 1].isEmpty { parts.removeLast() }
    parts.append(Part(number: number))
  }

  mutating func add(_ change: UndoChange, _ table: Table, _ key: RecordKey) {
    parts[parts.count - 1].add(change, table, key)
  }

  mutating func update(_ numbers: Range<Int>, _ body: (inout Part) -> Void) {
    for index in parts.indices where numbers.contains(parts[index].number) { body(&parts[index]) }
  }

  func contains(_ table: TableID, _ key: RecordKey) -> Bool {
    parts.contains { $0[table, key] != nil }
  }

  /// Returns the group's change of each key.
  func changes(_ model: Model) -> [TableID: [RecordKey: UndoChange]] {
    guard parts.count > 1 else { return parts[0].tables }
    var all = Part(number: 0)
    for part in parts {
      for (table, changes) in part.tables {
        for (key, change) in changes { all.add(change, model[table], key) }
      }
    }
    return all.tables
  }
}
