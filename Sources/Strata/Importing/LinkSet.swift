/// A relationship, as an import has to know it.
package struct ImportLinks: Sendable {
  enum Kind: Sendable {
    /// Many-to-many, seen from one end.
    case join(JoinTable.End, isInverse: Bool)
    /// The rows that refer here by a column; others are deleted, or refer to nothing.
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

  /// Tells the relationships of a model apart.
  var place: Int64 {
    let (table, column) =
      switch kind {
      case .join(let end, _): (end.table.id, end.root)
      case .referrers(let table, let column, _): (table.id, column)
      }
    // SQLite has no tables of more columns.
    return Int64(table.index) << 16 + Int64(column)
  }
}

/// The entities that one entity shall be linked with over a relationship: these and no others.
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
