import Testing

@testable import Strata

/// Plans and records of the harbour model, without a store.
struct Chart {
  let model: Model
  var table: Table { model.table(of: Boat.self) }

  init() throws { model = try Model([Boat.self, Harbour.self]) }

  func record(_ boat: Boat) throws -> Record { try table.encode(boat, RecordBuilder()) }
  func key(_ boat: Boat) -> RecordKey { RecordKey(.integer(Int64(boat.id))) }

  /// Returns the rows that a live query of these boats shows.
  func shown(_ boats: some Sequence<Boat>, _ query: Query<Boat>) throws -> ShownRows {
    let plan = LivePlan(try QueryPlan(query, model))
    return ShownRows(ResultTree(ContiguousArray(try boats.map(record)), order: plan.order), plan)
  }
}

extension LiveDifference {
  /// Brings a list from the old version to the new version, as a list view does.
  ///
  /// A list view removes elements, inserts the moved and the new elements, and draws only edited
  /// elements anew.
  func replay(on list: [Boat], _ new: [Boat]) -> [Boat] {
    var list = list
    let moved = moves.map { list[$0.from] }
    for offset in (deletions + moves.map(\.from)).sorted(by: >) { list.remove(at: offset) }
    var arrivals = insertions.map { ($0, new[$0]) }
    arrivals += zip(moves, moved).map { ($0.to, $1) }
    for (offset, boat) in arrivals.sorted(by: { $0.0 < $1.0 }) { list.insert(boat, at: offset) }
    for edit in edits { list[edit.offset] = new[edit.offset] }
    return list
  }
}

extension Stack {
  /// Commits edits from a scratch context, and returns when the view context shows them.
  nonisolated(nonsending) func merge(_ edit: (ScratchContext) -> Void) async throws {
    try await viewContext.waitUntilMerged(try await commit(.overwrite, edit))
  }
}
