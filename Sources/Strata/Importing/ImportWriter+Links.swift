// An import makes links when all rows are there. It reads the stored links, so that links which the
// feed no longer has are deleted. A link to a row that does not exist is left alone, and so is a
// link that waits to be pushed, like any other row.

extension ImportWriter {
  /// Replaces the links of some entities by the links of a feed.
  ///
  /// Links are no records, so the outcome does not count them. It counts kept rows, and rows that
  /// are deleted because an array does not have them.
  mutating func link(
    _ sets: [LinkSet], _ rule: LinkRule, in transaction: inout Transaction
  ) throws(StoreError) {
    let links = try LinkReplacement(sets, rule, transaction)
    var linking = ImportWriter(saving)
    linking.saving.waits = true
    let changes = try linking.write(links.layer, in: &transaction)
    try saving.noted?.followNow(changes)
    for (table, count) in links.absent {
      if let changes = changes[table] { outcome.deleted += changes.deletions ?? count }
    }
    outcome.kept += linking.outcome.kept
    outcome.refused += linking.outcome.refused
    outcome.leftOutValues = outcome.leftOutValues || linking.outcome.leftOutValues
  }
}
