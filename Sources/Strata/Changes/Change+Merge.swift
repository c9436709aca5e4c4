/// A change whose merged attributes start from the stored row.
struct MergedChange {
  let change: Change
  /// The row that an own save wrote over the change's `before`; nil if none did.
  let saved: Record?
}

extension Change {
  /// Returns the change after the table's merge rules.
  ///
  /// A rule applies to an attribute that the change edits, if the stored row has a third value or
  /// the same edit. The attribute then starts from the stored value, so it does not conflict, and
  /// ends with the merged value. If the values cannot be merged, the attribute is left as it was.
  ///
  /// - Parameter saved: the row that an own save wrote over `before`, from which the edit goes on.
  func merged(with stored: Record?, saved: Record? = nil, by table: Table) -> MergedChange {
    let unmerged = MergedChange(change: self, saved: saved)
    guard !table.merges.isEmpty, let before, let after, let stored else { return unmerged }
    let base = saved ?? before
    var (start, end, newBase) = (before, after, base)
    for (column, rule) in table.merges
    where after.differs(from: base, at: column) && stored.differs(from: base, at: column) {
      do throws(ValueError) {
        let theirs = stored[column]
        let merged = try rule.merge(base[column], after[column], theirs)
        (start, end) = (try start.setting(column, to: theirs), try end.setting(column, to: merged))
        newBase = try newBase.setting(column, to: theirs)
      } catch {
        continue
      }
    }
    return MergedChange(
      change: Change(before: start, after: end), saved: saved == nil ? nil : newBase)
  }
}
