import StrataTesting

@testable import Strata

/// The rows of a store as plain dictionaries, and random commits that change them.
struct History: Sendable {
  struct Item: Entity {
    var id: Int64 = 0
    var a: Int64 = 0
    var b: Int64 = 0
    static let schema = Schema<Item>("items", key: \.id) {
      Attribute(\.a)
      Attribute(\.b)
    }
  }

  struct Mark: Entity {
    var id: Int64 = 0
    var a: Int64 = 0
    static let schema = Schema<Mark>("marks", key: \.id) { Attribute(\.a) }
  }

  typealias Rows = [TableID: [RecordKey: Record]]

  let model: Model
  private(set) var rows: Rows = [:]
  private(set) var commit: Int64 = 0
  /// The number of the newest commit that wrote each key.
  private var written: [TableID: [RecordKey: Int64]] = [:]

  init() throws { model = try Model([Item.self, Mark.self]) }

  var items: TableID { model.table(of: Item.self).id }
  var marks: TableID { model.table(of: Mark.self).id }

  /// Changes some of twenty rows of some tables, and returns the change set that a save would
  /// publish.
  mutating func commit(
    to tables: [TableID]? = nil, _ random: inout SeededRandom
  ) throws -> ChangeSet {
    var changes: [TableID: TableChanges] = [:]
    let tables = tables ?? random.pick([[items], [marks], [items, marks]])
    for table in tables {
      var list = ContiguousArray<RowChange>()
      while list.isEmpty {
        for number: Int64 in 0..<20 where random.oneIn(5) {
          let key = RecordKey(.integer(number))
          let before = rows[table]?[key]
          let after = try record(of: number, in: table, &random)
          if before == after { continue }
          rows[table, default: [:]][key] = after
          written[table, default: [:]][key] = commit + 1
          list.append(RowChange(key: key, change: Change(before: before, after: after)))
        }
      }
      changes[table] = .rows(list)
    }
    commit += 1
    return ChangeSet(commit: commit, model: model, tables: changes)
  }

  private func record(
    of key: Int64, in table: TableID, _ random: inout SeededRandom
  ) throws -> Record? {
    if random.oneIn(4) { return nil }
    let values = model[table].columns.dropFirst().map { _ in Cell.integer(Int64(random.below(3))) }
    return try Record([.integer(key)] + values)
  }

  /// Returns the changes since an earlier state, or since the empty state, without change sets.
  ///
  /// The result has every key that was written, even if its row is the same as before.
  func changes(since old: History? = nil) -> [TableID: [RecordKey: Change]] {
    var result: [TableID: [RecordKey: Change]] = [:]
    for (table, keys) in written {
      for (key, commit) in keys where commit > old?.commit ?? 0 {
        result[table, default: [:]][key] = Change(
          before: old?.rows[table]?[key], after: rows[table]?[key])
      }
    }
    return result
  }
}

extension ChangeSet {
  /// The changes by table and key, for comparisons.
  var byKey: [TableID: [RecordKey: Change]] {
    tables.mapValues { changes in
      guard case .rows(let rows) = changes else { return [:] }
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0.change) })
    }
  }

  /// Whether every table has changes, one for each key and in key order.
  ///
  /// All code that reads a change set relies on this form.
  var isInNormalForm: Bool {
    tables.values.allSatisfy { changes in
      guard case .rows(let rows) = changes else { return true }
      return !rows.isEmpty && zip(rows, rows.dropFirst()).allSatisfy { $0.key < $1.key }
    }
  }
}
