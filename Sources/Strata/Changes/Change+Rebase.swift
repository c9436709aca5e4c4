extension Change {
  /// Returns another record with the edit made to it.
  ///
  /// Edited attributes take the edit's values. All other attributes keep the values of `record`. An
  /// insertion, a deletion and an update of a row that does not exist result in ``after``.
  func applied(to record: Record?) -> Record? {
    guard let before, let after, let record, record != before else { return after }
    return record.replacing(after.differences(from: before), from: after)
  }

  /// Returns the same edit, made to another record: `rebase((b, a), from: b, to: t)`.
  ///
  /// Each attribute is rebased on its own. An unedited attribute takes the target's value. An edit
  /// that the target already has vanishes. Any other edit keeps its value. A deletion deletes the
  /// target, and an insertion sets all attributes of the target.
  ///
  /// - Returns: the change from `target` to the edited target; nil if no edit remains. If the
  ///   target does not exist, an update stays an update and keeps its own `before`.
  package func rebased(onto target: Record?) -> Change? {
    if isIdentity || target == nil && after == nil { return nil }
    guard let target else { return self }
    let result = Change(before: target, after: applied(to: target))
    return result.isIdentity ? nil : result
  }
}
