/// The changes of one or more commits: a before/after pair for every changed record.
///
/// Rows that delete rules changed are included. Rows that were written with the values they had are
/// not. A change set is immutable and shared: publishing it to a thousand subscribers copies
/// nothing.
///
/// ```swift
/// for await changes in stack.changes {
///   for update in changes.changes(of: Song.self).updated {
///     print(update.attributes, update.before.title, "is now", update.after.title)
///   }
/// }
/// ```
public struct ChangeSet: Sendable {
  /// The number of the newest commit included; it grows by one with every commit of the store.
  public let commit: Int64
  /// The author of all commits included; nil if they have several authors, or if it is not known.
  package let author: String?
  let model: Model
  private(set) var tables: [TableID: TableChanges]

  init(
    commit: Int64, author: String? = nil, model: Model, tables: [TableID: TableChanges]
  ) {
    self.commit = commit
    self.author = author
    self.model = model
    self.tables = tables
  }

  /// Whether nothing changed.
  public var isEmpty: Bool { tables.isEmpty }

  /// The number of changed records, without tables that collapsed into a reset.
  public var count: Int { tables.values.reduce(0) { $0 + $1.count } }

  /// Returns the changes of one entity; empty if there are none.
  ///
  /// - Complexity: O(*n*) for *n* changed records of the entity, when its elements are read.
  public func changes<E: Entity>(of _: E.Type) -> Changes<E> {
    let table = model.table(of: E.self)
    return Changes(commit: commit, table: table, changes: tables[table.id])
  }

  func touches(_ table: TableID) -> Bool { tables[table] != nil }

  /// Returns the changes of one table alone; nil if the table did not change.
  func only(_ table: TableID) -> ChangeSet? {
    tables[table].map {
      ChangeSet(commit: commit, author: author, model: model, tables: [table: $0])
    }
  }

  /// Returns these changes followed by `next`, as one set.
  ///
  /// - Complexity: O(*n* + *m*) for the changed records in the tables that both sets change.
  func composed(with next: ChangeSet) -> ChangeSet {
    var result = ChangeSet(
      commit: next.commit, author: author == next.author ? author : nil, model: model,
      tables: tables)
    for (table, changes) in next.tables {
      result.tables[table] = tables[table].map { $0.composed(with: changes) } ?? changes
      if result.tables[table]?.isEmpty == true { result.tables[table] = nil }
    }
    return result
  }

  /// Composes change sets in order; returns nil for no sets.
  ///
  /// - Complexity: O(*n* log *k*) for *n* records in *k* sets.
  static func composed(_ sets: some RandomAccessCollection<ChangeSet>) -> ChangeSet? {
    sets.joinedByHalves { $0.composed(with: $1) }
  }
}
