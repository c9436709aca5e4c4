/// What the view context has not got, because a suspension took the snapshot of its turn: the next
/// turn has it too.
struct UndeliveredTurn: Sendable {
  var changes: ChangeSet?
  var completedSave: CompletedSave?
  /// What changed, for each query whose result was maintained.
  var changed: [LivePlan.Identity: MaintainedChange] = [:]

  /// What was committed from before that turn up to and with a step.
  func changes(with step: ChangeSet?) -> ChangeSet? {
    guard let changes, let step else { return changes ?? step }
    return changes.composed(with: step)
  }
}
