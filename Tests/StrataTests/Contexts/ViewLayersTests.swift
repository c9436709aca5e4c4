import StrataTestTurns
import Testing

@testable import Strata

/// The view context's layers: every state meets every event.
@Suite(.inTurn) struct ViewLayersTests {
  private enum Event: CaseIterable {
    case edit, beginSave, merge, mergeOwn, mergeOther, fail, rollback
  }

  private let chart: Chart
  private let key = RecordKey(.integer(1))
  private let gull = Boat(id: 1, name: "Gull", length: 1)

  init() throws { chart = try Chart() }

  private var table: Table { chart.table }

  private func edit(_ layers: inout ViewLayers, _ change: (inout Boat) -> Void) throws {
    let shown = layers.state(of: key, in: table, or: .unknown)
    let row = try #require(shown.record)
    let boat = table.decodeLeniently(row, as: Boat.self)
    let made = layers.pending.draft(of: boat, table, key, shown, inHand: row)
    var draft = try #require(made)
    change(&draft.entity)
    _ = layers.pending.finish(draft, table, key, shown: shown)
    layers.didEdit(key, in: table)
  }

  private func changes(_ before: Boat, _ after: Boat) throws -> ChangeSet {
    let change = Change(before: try chart.record(before), after: try chart.record(after))
    let row = RowChange(key: key, change: change)
    return ChangeSet(commit: 2, model: chart.model, tables: [table.id: .rows([row])])
  }

  /// Returns the layers in every state: clean, edited, saving, and saving with new edits.
  private func all() throws -> [(name: String, layers: ViewLayers)] {
    var clean = ViewLayers(chart.model, undoLimit: 10)
    clean.follow(key, in: table.id, .record(try chart.record(gull)))
    var edited = clean
    try edit(&edited) { $0.length = 2 }
    var saving = edited
    _ = try saving.beginSave()
    var both = saving
    try edit(&both) { $0.speed = 3 }
    return [("clean", clean), ("edited", edited), ("saving", saving), ("both", both)]
  }

  // After a reset, a key is compared with the row that the context knows. The report of the save
  // makes the row known first, so the reset finds no difference.
  @Test func `an edit of a row that a save's rule deletes conflicts, also in a turn with a reset`()
    throws
  {
    let other = RecordKey(.integer(2))
    var layers = ViewLayers(chart.model)
    layers.follow(key, in: table.id, .record(try chart.record(gull)))
    _ = layers.pending.insert(Boat(id: 2, name: "Swan", length: 2))
    layers.follow(other, in: table.id, .absent)
    let save = try #require(try layers.beginSave())
    try edit(&layers) { $0.length = 5 }
    let record = try chart.record(gull)
    let rows = [RowChange(key: key, change: Change(before: record, after: nil))]
    let report = SaveReport(commit: 2, changes: [table.id: .rows(.init(rows))], effects: [])
    let set = ChangeSet(commit: 3, model: chart.model, tables: [table.id: .reset])
    _ = layers.merge(
      set, completedSave: CompletedSave(id: save.id, report: report),
      read: [
        table.id: [
          key: .absent, other: .record(try chart.record(Boat(id: 2, name: "Swan", length: 2))),
        ]
      ])
    #expect(layers.conflicts.map(\.key) == [key])
  }

  @Test(arguments: Event.allCases)
  private func `every state meets every event`(_ event: Event) throws {
    for (name, old) in try all() {
      var layers = old
      var (isSaving, isEdited) = (
        name == "saving" || name == "both", name == "edited" || name == "both"
      )
      // The boat with all edits.
      var boat = gull
      if name != "clean" { boat.length = 2 }
      if name == "both" { boat.speed = 3 }
      switch event {
      case .edit:
        try edit(&layers) { $0.name = "Swan" }
        boat.name = "Swan"
        isEdited = true
      case .beginSave:
        // A second save waits for the first save. Without edits there is no save.
        if isSaving { continue }
        let save = try layers.beginSave()
        #expect((save != nil) == isEdited, "\(name)")
        (isSaving, isEdited) = (isEdited, false)
      case .merge:
        var theirs = gull
        theirs.name = "Theirs"
        _ = layers.merge(try changes(gull, theirs), completedSave: nil, read: [:])
        boat.name = "Theirs"
      case .mergeOwn:
        var written = gull
        written.length = 2
        let set = try changes(gull, written)
        let report = SaveReport(commit: 2, changes: set.tables, effects: [])
        let save = CompletedSave(id: 1, report: report)
        _ = layers.merge(isSaving ? set : nil, completedSave: save, read: [:])
        isSaving = false
      case .mergeOther:
        let report = SaveReport(commit: 2, changes: [:], effects: [])
        _ = layers.merge(nil, completedSave: CompletedSave(id: 7, report: report), read: [:])
      case .fail:
        _ = layers.saveFailed(.closed)
        (isSaving, isEdited) = (false, isSaving || isEdited)
      case .rollback:
        _ = layers.rollback()
        if name == "edited" { boat.length = 1 }
        if name == "both" { boat.speed = nil }
        isEdited = false
      }
      #expect(layers.isSaving == isSaving, "\(event) in \(name)")
      #expect(!layers.pending.isEmpty == isEdited, "\(event) in \(name)")
      let shown = layers.state(of: key, in: table, or: .unknown)
      #expect(shown == .record(try chart.record(boat)), "\(event) in \(name)")
      #expect(layers.conflicts.isEmpty && !layers.mayConflict, "\(event) in \(name)")
    }
  }

  // A caller may have rows of a commit that the context has not merged. An edit that sets such a
  // row's value to the older value was no edit, so the newer value stayed. An edit of a row that the
  // context knew to be deleted was ignored, although another context had inserted it again.
  @Test func `a value in hand counts more than a followed row, unless a save here wrote the row`()
    throws
  {
    var newer = gull
    newer.length = 2
    let inHand = try chart.record(newer)
    var layers = ViewLayers(chart.model)
    layers.follow(key, in: table.id, .record(try chart.record(gull)))
    #expect(layers.state(of: key, in: table, inHand: inHand) == .record(inHand))
    let deletion = RowChange(key: key, change: Change(before: inHand, after: nil))
    let deleted = ChangeSet(commit: 2, model: chart.model, tables: [table.id: .rows([deletion])])
    _ = layers.merge(deleted, completedSave: nil, read: [:])
    #expect(layers.base[table.id, key] == .absent)
    #expect(layers.state(of: key, in: table, inHand: inHand) == .record(inHand))
    layers.pending.delete(newer, table, key)
    let save = try #require(try layers.beginSave())
    let report = SaveReport(commit: 3, changes: deleted.tables, effects: [])
    _ = layers.merge(deleted, completedSave: CompletedSave(id: save.id, report: report), read: [:])
    #expect(layers.state(of: key, in: table, inHand: inHand) == .absent)
  }

  @Test func `one save is under way at a time`() async {
    await #expect(processExitsWith: .failure) {
      let chart = try Chart()
      var layers = ViewLayers(chart.model)
      _ = layers.pending.insert(Boat(id: 1))
      _ = try layers.beginSave()
      _ = layers.pending.insert(Boat(id: 2))
      _ = try layers.beginSave()
    }
  }
}
