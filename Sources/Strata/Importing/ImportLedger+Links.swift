internal import StrataSQLite

// Sets of links, kept until all rows are in the store. An entity may have several sets of one
// relationship. The last set counts.

private let forget = SQL("DELETE FROM linked WHERE relationship = ?1 AND owner = ?2")
// The first row of a set has no target, because a set may be empty.
private let addTarget = SQL("INSERT INTO linked VALUES (?1, ?2, ?3, ?4)")
private let first = SQL("SELECT * FROM linked ORDER BY relationship, owner, ordinal")
private let following = SQL(
  "SELECT * FROM linked WHERE (relationship, owner) > (?1, ?2) ORDER BY relationship, owner, ordinal"
)

extension ImportLedger {
  /// Keeps sets of links, each in place of an earlier set of its owner and relationship.
  package func add(_ sets: [LinkSet]) throws(StoreError) {
    for set in sets { keep(set.links) }
    try inTransaction { connection throws(StoreError) in
      let removal = try connection.prepared(forget)
      let insertion = try connection.prepared(addTarget)
      for set in sets {
        removal.bind(1, set.links.number)
        set.owner.bind(to: removal, at: 2)
        try removal.perform()
        for (ordinal, target) in ([RecordKey(.null)] + set.targets).enumerated() {
          insertion.bind(1, set.links.number)
          set.owner.bind(to: insertion, at: 2)
          insertion.bind(3, Int64(ordinal))
          target.bind(to: insertion, at: 4)
          try insertion.perform()
        }
      }
    }
  }

  /// Returns the sets of links after another set, or the first sets.
  func links(after last: LinkSet?, limit: Int) throws(StoreError) -> [LinkSet] {
    if relationships.isEmpty { return [] }
    var sets: [LinkSet] = []
    let rows = try connection.prepared(last == nil ? first : following)
    if let last { rows.bind([.integer(last.links.number), last.owner.cell]) }
    defer { rows.reset() }
    var owner: (links: ImportLinks, key: RecordKey)?
    var targets: [RecordKey] = []
    while try rows.next() {
      guard rows.integer(2) == 0 else {
        targets.append(RecordKey(rows, 3))
        continue
      }
      if let owner { sets.append(LinkSet(owner.links, of: owner.key, to: targets)) }
      if sets.count == limit { return sets }
      owner = relationships[rows.integer(0)].map { ($0, RecordKey(rows, 1)) }
      targets = []
    }
    if let owner { sets.append(LinkSet(owner.links, of: owner.key, to: targets)) }
    return sets
  }
}
