import StrataTestTurns
import Testing

@testable import Strata

/// The state of a maintained query: every state meets every event.
@Suite(.inTurn) struct MaintainedQueryTests {
  private enum Event: CaseIterable { case change, reset, loaded, stopped, failed }

  private let model: Model
  private let plan: LivePlan
  private let table: Table
  private let row: Record

  init() throws {
    model = try Model([Boat.self, Harbour.self])
    plan = LivePlan(try QueryPlan(Boat.all, model))
    table = model.table(of: Boat.self)
    row = try table.encode(Boat(id: 1, length: 7), RecordBuilder())
  }

  private func changes(_ change: TableChanges) -> ChangeSet {
    ChangeSet(commit: 2, model: model, tables: [table.id: change])
  }

  private var insertion: ChangeSet {
    let change = RowChange(key: RecordKey(.integer(1)), change: Change(before: nil, after: row))
    return changes(.rows([change]))
  }

  private func query(_ make: (inout MaintainedQuery) -> Void) -> MaintainedQuery {
    var query = MaintainedQuery(plan, backlog: 1)
    make(&query)
    return query
  }

  private var noRows: ResultTree { ResultTree([], order: plan.order) }

  private var all: [(name: String, query: MaintainedQuery)] {
    [
      ("loading", query { _ in }),
      ("loading behind a commit", query { _ = $0.apply(insertion) }),
      ("outrun", query { for _ in 1...2 { _ = $0.apply(insertion) } }),
      ("ready", query { $0.didLoad(noRows) }),
      ("stopped", query { $0.didStop() }),
      (
        "stale",
        query {
          $0.didLoad(noRows)
          $0.didStop()
        }
      ),
      ("failed at first", query { $0.didFail(.closed) }),
      (
        "failed later",
        query {
          $0.didLoad(noRows)
          $0.didFail(.closed)
        }
      ),
    ]
  }

  private func name(_ outcome: MaintainedQuery.Outcome) -> String {
    switch outcome {
    case .unchanged: "unchanged"
    case .changed: "changed"
    case .reading: "reading"
    case .stale: "stale"
    }
  }

  private func name(_ query: MaintainedQuery) -> String {
    switch query.state {
    case .loading(let backlog): "loading, \(backlog.changes?.count.description ?? "outrun")"
    case .ready: "ready, \(query.result.tree.count)"
    case .stale(let hasRows): "stale, \(hasRows)"
    case .failed(_, let hasRows): "failed, \(hasRows)"
    }
  }

  @Test(arguments: Event.allCases) private func `every state meets every event`(_ event: Event) {
    var met: [String: String] = [:]
    for (name, old) in all {
      var query = old
      var outcome = ""
      switch event {
      case .change: outcome = "\(self.name(query.apply(insertion))); "
      case .reset: outcome = "\(self.name(query.apply(changes(.reset)))); "
      case .loaded: query.didLoad(noRows)
      case .stopped: query.didStop()
      case .failed: query.didFail(.closed)
      }
      met[name] = outcome + self.name(query)
      #expect((query.error != nil) == self.name(query).hasPrefix("failed"), "\(name)")
    }
    #expect(met == expected(event))
  }

  private func expected(_ event: Event) -> [String: String] {
    switch event {
    case .change:
      [
        "loading": "unchanged; loading, 1", "loading behind a commit": "unchanged; loading, outrun",
        "outrun": "unchanged; loading, outrun", "ready": "changed; ready, 1",
        "stopped": "stale; stale, false", "stale": "stale; stale, true",
        "failed at first": "stale; failed, false", "failed later": "stale; failed, true",
      ]
    case .reset:
      [
        "loading": "unchanged; loading, 1", "loading behind a commit": "unchanged; loading, 2",
        "outrun": "unchanged; loading, outrun", "ready": "stale; ready, 0",
        "stopped": "stale; stale, false", "stale": "stale; stale, true",
        "failed at first": "stale; failed, false", "failed later": "stale; failed, true",
      ]
    case .loaded:
      [
        "loading": "ready, 0", "loading behind a commit": "ready, 1", "outrun": "stale, true",
        "ready": "ready, 0", "stopped": "ready, 0", "stale": "ready, 0",
        "failed at first": "ready, 0", "failed later": "ready, 0",
      ]
    case .stopped:
      [
        "loading": "stale, false", "loading behind a commit": "stale, false",
        "outrun": "stale, false", "ready": "stale, true", "stopped": "stale, false",
        "stale": "stale, true", "failed at first": "stale, false", "failed later": "stale, true",
      ]
    case .failed:
      [
        "loading": "failed, false", "loading behind a commit": "failed, false",
        "outrun": "failed, false", "ready": "failed, true", "stopped": "failed, false",
        "stale": "failed, true", "failed at first": "failed, false",
        "failed later": "failed, true",
      ]
    }
  }
}
