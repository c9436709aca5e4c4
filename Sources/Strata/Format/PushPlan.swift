/// The requests of one push that can still be sent, given each verdict.
///
/// A request that the server postpones or refuses blocks the requests that depend on it, and no
/// other requests.
package struct PushPlan {
  private let steps: [PushOrder.Step]
  private var next = 0
  private var blocked: Set<PushOrder.Row> = []
  /// The tables with rows that a blocked request may still refer to.
  private var guarded: Set<TableID> = []
  /// The number of requests that were skipped or are to be sent later.
  private(set) var left = 0

  /// - Parameters:
  ///   - refused: the requests that the server refused before.
  ///   - later: the requests that the server has postponed.
  init(
    _ steps: [PushOrder.Step], refused: Set<PushOrder.Row>, later: Set<PushOrder.Row>
  ) {
    self.steps = steps
    for step in steps where refused.contains(step.row) || later.contains(step.row) {
      block(step)
    }
    left = steps.count { later.contains($0.row) }
  }

  /// Creates the plan of steps of which none was refused or postponed.
  package init(_ steps: [PushOrder.Step]) { self.init(steps, refused: [], later: []) }

  /// Returns the next request that can be sent; nil at the end.
  package mutating func nextStep() -> PushOrder.Step? {
    while next < steps.count {
      let step = steps[next]
      next += 1
      if admits(step) { return step }
    }
    return nil
  }

  /// Returns whether a request can be sent; if not, it is blocked, with all that depend on it.
  package mutating func admits(_ step: PushOrder.Step) -> Bool {
    if blocked.contains(step.row) { return false }
    let isGuarded = step.isDeletion && guarded.contains(step.row.table)
    if !isGuarded && step.needs.allSatisfy({ !blocked.contains($0) }) { return true }
    block(step)
    left += 1
    return false
  }

  /// Notes the server's verdict on a request.
  package mutating func note(_ verdict: PushVerdict, of step: PushOrder.Step) {
    switch verdict {
    // The requests that depend on the insertion come after it, in another plan.
    case .done(key: _): if !step.isFollowed { return }
    case .later(after: _): left += 1
    case .refused: break
    }
    block(step)
  }

  private mutating func block(_ step: PushOrder.Step) {
    blocked.insert(step.row)
    guarded.formUnion(step.guards)
  }
}
