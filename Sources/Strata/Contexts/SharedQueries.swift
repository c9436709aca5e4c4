/// The queries that the maintainer keeps, by identity.
///
/// A step looks at the queries that its changes can concern, and at those that wait for something
/// else. All others stay as they are, so a step does not depend on their number.
struct SharedQueries: Sendable {
  typealias Identity = LivePlan.Identity

  private var all: [Identity: SharedQuery] = [:]
  /// The queries at which every step looks: those that are not loaded, have failed, or have not told
  /// all of their live queries.
  private(set) var waiting: Set<Identity> = []
  private var index = QueryIndex<Identity>()

  var count: Int { all.count }
  var identities: some Collection<Identity> { all.keys }

  subscript(identity: Identity) -> SharedQuery? {
    get { all[identity] }
    _modify {
      let plan = all[identity]?.query.plan
      yield &all[identity]
      let query = all[identity]
      if query?.isWaiting == true { waiting.insert(identity) } else { waiting.remove(identity) }
      if plan == nil, let query { index.add(identity, query.query.plan) }
      if let plan, query == nil { index.remove(identity, plan) }
    }
  }

  /// The number of queries at which a step may look whatever rows change.
  var alwaysConcerned: Int { waiting.count + index.alwaysConcerned }

  /// Returns the queries at which a step with some changes looks.
  func queries(concernedBy changes: ChangeSet?) -> Set<Identity> {
    changes.map { index.queries(concernedBy: $0).union(waiting) } ?? waiting
  }

  /// Returns whether a query for which something waits meets a condition.
  func isAsked(where condition: (SharedQuery) -> Bool = { _ in true }) -> Bool {
    waiting.contains { all[$0].map { $0.isAsked && condition($0) } ?? false }
  }
}
