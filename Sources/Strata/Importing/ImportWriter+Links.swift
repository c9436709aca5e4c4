// An import makes links when all rows are there. It reads the stored links, so that links which the
// feed no longer has are deleted. A link to a row that does not exist waits for the row. A link that
// waits to be pushed is left alone, like any other row.

extension ImportWriter {
  /// Replaces the links of some entities by the links of a feed.
  ///
  /// Links are no records, so the outcome does not count them as rows. It counts kept rows, rows that
  /// are deleted because an array does not have them, and links without a row.
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
    outcome.noteLinks(linking.outcome)
    try keepLoose(sets, missing: links.missing, linking.looseLinks, rule, in: &transaction)
  }

  /// Keeps the links of sets to rows that do not exist.
  ///
  /// - Parameters:
  ///   - missing: the rows that are to refer to the owners, by the positions of the sets.
  ///   - loose: the rows of join tables that were dropped.
  private mutating func keepLoose(
    _ sets: [LinkSet], missing: [Int: [RecordKey]], _ loose: [(table: Table, link: Record)],
    _ rule: LinkRule, in transaction: inout Transaction
  ) throws(StoreError) {
    var byRoot: [LooseRoot: [Record]] = [:]
    for (table, link) in loose {
      for column in [JoinTable.owner, JoinTable.target] {
        byRoot[LooseRoot(table: table.id, column: column, key: link.key(column)), default: []]
          .append(link)
      }
    }
    // A further owner of a row that does not exist has a waiting link of its own.
    let replaces = rule != .add
    for (index, set) in sets.enumerated() {
      let (links, isWhole): ([WaitingLink], Bool)
      switch set.links.kind {
      case .join(let end, let isInverse):
        let root = LooseRoot(table: end.table.id, column: end.root, key: set.owner)
        links = (byRoot[root] ?? []).map { WaitingLink($0, of: end.table) }
        isWhole = try transaction.keep(
          links, of: set.owner, in: end.table, nil, isOwner: !isInverse, replaces: replaces)
      case .referrers(let table, let column, _):
        links = (missing[index] ?? []).map { WaitingLink(owner: set.owner, target: $0) }
        isWhole = try transaction.keep(
          links, of: set.owner, in: table, column, isOwner: true, replaces: replaces)
      }
      outcome.waitingLinks += links.count
      if !isWhole { outcome.note(.looseLink) }
    }
  }
}

/// A row whose links were dropped.
private struct LooseRoot: Hashable {
  let table: TableID
  let column: Int
  let key: RecordKey
}

extension WaitingLink {
  /// Creates the link of a row of a join table.
  fileprivate init(_ link: Record, of join: Table) {
    self.init(owner: link.key(JoinTable.owner), target: link.key(JoinTable.target))
    if join.columns.count > JoinTable.position,
      case .real(let position) = link[JoinTable.position]
    {
      self.position = position
    }
  }
}
