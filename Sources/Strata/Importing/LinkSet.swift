/// The tables and columns that an import needs to write a relationship.
package struct ImportLinks: Sendable {
  enum Kind: Sendable {
    /// A many-to-many relationship, seen from one end.
    case join(JoinTable.End, isInverse: Bool)
    /// The rows that refer here by a column; other rows are deleted, or their column becomes null.
    case referrers(Table, column: Int, deletesOthers: Bool)
  }

  let kind: Kind

  /// The column by which rows refer here; nil for many-to-many.
  package var reference: Int? {
    switch kind {
    case .join: nil
    case .referrers(_, let column, _): column
    }
  }

  /// The table whose rows are the links or have the references.
  package var table: TableID {
    switch kind {
    case .join(let end, _): end.table.id
    case .referrers(let table, _, _): table.id
    }
  }

  /// The number of the relationship, unique within a model.
  package var number: Int64 {
    let (table, column) =
      switch kind {
      case .join(let end, _): (end.table.id, end.root)
      case .referrers(let table, let column, _): (table.id, column)
      }
    // A table of SQLite's has at most 32,767 columns, so the column fits.
    return Int64(table.index) << 16 + Int64(column)
  }
}

/// The entities with which one entity is to be linked over a relationship, and no others.
package struct LinkSet: Sendable {
  let links: ImportLinks
  let owner: RecordKey
  let targets: [RecordKey]

  package init(_ links: ImportLinks, of owner: RecordKey, to targets: [RecordKey]) {
    self.links = links
    self.owner = owner
    self.targets = targets
  }
}

extension Model {
  /// Returns the tables and columns of a many-to-many relationship.
  ///
  /// - Returns: nil if no schema of the stack lists the relationship.
  package func importLinks<Root: Entity, Target: Entity>(
    _ relationship: ManyToMany<Root, Target>
  ) -> ImportLinks? {
    join(relationship.reference).map { end in
      ImportLinks(kind: .join(end, isInverse: relationship.isInverse))
    }
  }

  package func importLinks<Root: Entity, Target: Entity>(
    _ relationship: ToMany<Root, Target>, deletesOthers: Bool = false
  ) -> ImportLinks? {
    guard let table = table(ofType: Target.self),
      let column = table.column(for: relationship.definition.inverse)
    else { return nil }
    return ImportLinks(
      kind: .referrers(table, column: column, deletesOthers: deletesOthers))
  }
}

/// What a set may take away: a feed that may lack records says nothing about missing elements.
package enum LinkRule: Sendable {
  /// The set is all of its owner's links, and elements that no owner names lose their reference.
  case replace
  /// The feed may lack records: an element may belong to an owner that was not read. Many-to-many
  /// links are still replaced, because they belong to the owner alone.
  case replaceOwn
  /// A record was refused: it may be an element of any set.
  case add
}
