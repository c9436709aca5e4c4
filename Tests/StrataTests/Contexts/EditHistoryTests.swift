import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The edits of one row, under commits of other contexts that are merged at any time.
///
/// The tests run the machine of the architecture page on the view context's own layers.
@Suite(.inTurn) struct EditHistoryTests {
  /// The states of a row: no row, or two attributes with two values each.
  private static let states: [Boat?] =
    [nil]
    + [0, 1].flatMap { length in [0, 1].map { Boat(id: 1, length: length, harbourID: $0) } }

  /// A step of a history.
  enum Step: CaseIterable {
    case setFirst, setSecond, insert, delete
    case theirs0, theirs1, theirs2, theirs3, theirs4
    case beginSave, endSave, failSave
    case undo

    var isTheirs: Bool {
      switch self {
      case .theirs0, .theirs1, .theirs2, .theirs3, .theirs4: true
      case .setFirst, .setSecond, .insert, .delete, .beginSave, .endSave, .failSave, .undo: false
      }
    }
  }

  /// The view context's layers, and the row of a store beside them.
  private struct World {
    let chart: Chart
    var layers: ViewLayers
    var stored: Record?
    /// The commits of other contexts that this context has not merged.
    var unmerged: [RowChange] = []
    var commit: Int64 = 1

    let key = RecordKey(.integer(1))
    var table: Table { chart.table }

    init(_ chart: Chart, _ stored: Record?) {
      self.chart = chart
      self.stored = stored
      layers = ViewLayers(chart.model, undoLimit: 10)
      layers.follow(key, in: chart.table.id, RecordState(stored))
    }

    var shown: RecordState { layers.state(of: key, in: table, or: .unknown) }

    mutating func edit(_ change: (inout Boat) -> Void) {
      guard let row = shown.record else { return }
      let boat = table.decodeLeniently(row, as: Boat.self)
      guard
        var draft = layers.pending.draft(of: boat, table, key, shown, inHand: row)
      else { return }
      change(&draft.entity)
      _ = layers.pending.finish(draft, table, key, shown: shown)
      layers.pending.undo.endEvent()
      layers.didEdit(key, in: table)
    }

    mutating func write(_ record: Record?) {
      if record == stored { return }
      unmerged.append(RowChange(key: key, change: Change(before: stored, after: record)))
      stored = record
    }

    /// Merges the unmerged commits, commit by commit or all at once.
    mutating func merge(atOnce: Bool, completing save: CompletedSave? = nil) {
      let sets = unmerged.map { row in
        commit += 1
        return ChangeSet(commit: commit, model: chart.model, tables: [table.id: .rows([row])])
      }
      unmerged = []
      if atOnce {
        _ = layers.merge(ChangeSet.composed(sets), completedSave: save, read: [:])
        return
      }
      for (index, set) in sets.enumerated() {
        _ = layers.merge(set, completedSave: index == sets.count - 1 ? save : nil, read: [:])
      }
      if sets.isEmpty { _ = layers.merge(nil, completedSave: save, read: [:]) }
    }

    /// Returns the row that the writer makes of a layer, and the attributes in conflict.
    func saved(_ layer: Layer, _ policy: SavePolicy) -> (row: Record?, conflicts: AttributeSet) {
      guard case .known(let change)? = layer[table.id, key] else { return (stored, AttributeSet()) }
      let conflicting = change.conflicts(with: stored, count: table.columns.count)
      let resolved = change.resolved(onto: stored, conflicting, by: policy)
      return (resolved.map(\.after) ?? stored, conflicting)
    }
  }

  /// Runs a history, and returns everything that can be seen of it at its end.
  private func outcome(
    _ steps: [Step], from start: Record?, _ policy: SavePolicy, atOnce: Bool, _ chart: Chart
  ) throws -> [String] {
    var world = World(chart, start)
    var seen: [String] = []
    var save: ContextSave.Cargo?
    func report(of layer: Layer, _ after: Record?) -> SaveReport {
      let row = RowChange(key: world.key, change: Change(before: world.stored, after: after))
      return SaveReport(
        commit: world.commit, changes: row.change.isIdentity ? [:] : [world.table.id: .rows([row])],
        effects: [])
    }
    for step in steps {
      switch step {
      case .setFirst, .setSecond, .insert, .delete, .undo, .beginSave:
        // A turn of the context merges every commit first.
        world.merge(atOnce: atOnce)
      case .theirs0, .theirs1, .theirs2, .theirs3, .theirs4, .endSave, .failSave: break
      }
      switch step {
      case .setFirst: world.edit { $0.length = 1 - $0.length }
      case .setSecond: world.edit { $0.harbourID = 1 - ($0.harbourID ?? 0) }
      case .insert:
        if world.shown == .absent {
          _ = world.layers.pending.insert(Boat(id: 1, length: 1, harbourID: 1), shown: .absent)
          world.layers.pending.undo.endEvent()
        }
      case .delete:
        guard let row = world.shown.record else { break }
        let boat = world.table.decodeLeniently(row, as: Boat.self)
        _ = world.layers.pending.delete(boat, world.table, world.key, shown: world.shown)
        world.layers.pending.undo.endEvent()
      case .theirs0, .theirs1, .theirs2, .theirs3, .theirs4:
        let index = Step.allCases.firstIndex(of: step)! - Step.allCases.firstIndex(of: .theirs0)!
        world.write(try Self.states[index].map(chart.record))
      case .beginSave: if save == nil { save = try world.layers.beginSave() }
      case .endSave:
        guard let layer = save else { break }
        let (row, conflicts) = world.saved(layer.layer, policy)
        if policy == .error && !conflicts.isEmpty {
          seen.append("conflict \(conflicts.positions)")
          _ = world.layers.saveFailed(.closed)
        } else {
          let report = report(of: layer.layer, row)
          world.write(row)
          world.merge(atOnce: atOnce, completing: CompletedSave(id: layer.id, report: report))
          seen.append("saved \(row as Any)")
        }
        save = nil
      case .failSave:
        if save != nil { _ = world.layers.saveFailed(.closed) }
        save = nil
      case .undo:
        let (base, saving) = (world.layers.base, world.layers.saving?.layer)
        let report = world.layers.pending.undo.newestGroup(redo: false).flatMap { group in
          world.layers.pending.revert(group, redo: false) { table, key in
            base[table.id, key].under(saving?[table.id, key], in: table)
          }?.report
        }
        seen.append("undo \(report?.count ?? -1) \(report?.skipped.map(\.reason) ?? [])")
      }
    }
    world.merge(atOnce: atOnce)
    seen.append("shows \(world.shown)")
    seen.append("pending \(world.layers.pending.layer[world.table.id, world.key] as Any)")
    seen.append("saving \(world.layers.saving?.layer[world.table.id, world.key] as Any)")
    seen.append("conflicts \(world.layers.conflicts.map { ($0.attributes, $0.theirs) })")
    for policy in SavePolicy.allCases {
      let (row, conflicts) = world.saved(world.layers.pending.layer, policy)
      seen.append("\(policy): \(row as Any) \(conflicts.positions)")
      // An edit without a conflict is saved as it is shown.
      if conflicts.isEmpty, world.layers.saving == nil {
        #expect(world.shown == RecordState(row), "\(steps)")
      }
    }
    #expect(world.layers.base[world.table.id, world.key] == RecordState(world.stored), "\(steps)")
    return seen
  }

  /// Tries every history of up to three steps over two attributes of two values, and one in eight of
  /// those of four, under every policy.
  @Test(arguments: SavePolicy.allCases)
  func `merging commits one by one is merging them at once`(_ policy: SavePolicy) throws {
    let chart = try Chart()
    var random = SeededRandom.printingSeed()
    for start in [Self.states[0], Self.states[1]] {
      let start = try start.map(chart.record)
      var histories: [[Step]] = [[]]
      for length in 1...4 {
        histories = histories.flatMap { history in Step.allCases.map { history + [$0] } }
        // With fewer than two commits of other contexts, there is nothing to merge at once.
        for history in histories where history.count(where: \.isTheirs) > 1 {
          if length > 2 && !random.oneIn(length == 4 ? 40 : 2) { continue }
          let slowly = try outcome(history, from: start, policy, atOnce: false, chart)
          let quickly = try outcome(history, from: start, policy, atOnce: true, chart)
          if slowly != quickly {
            Issue.record("\(history):\n\(slowly.joined(separator: "\n"))\n—\n\(quickly)")
            return
          }
        }
      }
    }
  }

  @Test func `the result of a long history is the same edit by edit and at once`() throws {
    let chart = try Chart()
    var random = SeededRandom.printingSeed()
    for _ in 0..<200 {
      let history = (0..<(5 + random.below(20))).map { _ in random.pick(Step.allCases) }
      let start = try random.pick(Self.states).map(chart.record)
      let policy = random.pick(SavePolicy.allCases)
      let slowly = try outcome(history, from: start, policy, atOnce: false, chart)
      let quickly = try outcome(history, from: start, policy, atOnce: true, chart)
      if slowly != quickly {
        Issue.record("\(history):\n\(slowly.joined(separator: "\n"))\n—\n\(quickly)")
        return
      }
    }
  }
}
