/// The parts of a feed that an import may lack. Gaps only add up.
///
/// They answer three questions: which absent rows may go, which links may go, and whether the feed's
/// validators hold.
package struct FeedGaps: Sendable {
  /// The losses that no batch has. With a loss of its own, a feed gets no validators.
  package var losses: Set<FeedLoss> = []
  /// The tables of which the feed may lack rows.
  private var tables: Set<TableID> = []
  /// Whether the feed may lack records of any entity.
  private var lacksRecords = false

  package init() {}

  /// Whether rows were left out. A left-out row may be an element of any set, or may look absent.
  var lacksRows: Bool { losses.contains(.refusedRecord) }

  /// Notes that the feed may lack records.
  ///
  /// - Returns: those of some tables that are the first time among the tables that may lack rows.
  package mutating func note(_ tables: [Table]) -> [Table] {
    lacksRecords = true
    return tables.filter { self.tables.insert($0.id).inserted }
  }

  /// The links and references that sets of links may take away.
  var linkRule: LinkRule { lacksRows ? .add : lacksRecords ? .replaceOwn : .replace }

  /// Returns those of some tables, each once, whose rows are absent if they were noted and not crossed
  /// off.
  package func absentTables(of tables: [Table]) -> [Table] {
    var known = self.tables
    return lacksRows ? [] : tables.filter { known.insert($0.id).inserted }
  }
}
