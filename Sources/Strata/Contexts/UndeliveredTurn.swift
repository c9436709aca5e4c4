/// The content of a turn that a suspension kept from the view context; the next turn includes it.
struct UndeliveredTurn: Sendable {
  var changes: ChangeSet?
  var completedSave: CompletedSave?
  /// The changes of each query whose result was maintained.
  var changed: [LivePlan.Identity: MaintainedChange] = [:]

  /// Returns the changes of that turn and of a later step, composed.
  func changes(with step: ChangeSet?) -> ChangeSet? {
    guard let changes, let step else { return changes ?? step }
    return changes.composed(with: step)
  }
}
