/// The start of a relationship's query: the roots, and the links that lead away from them.
struct RelationshipSource: Sendable {
  let root: any Entity.Type
  /// The roots' keys, or the error for a key that cannot be stored.
  ///
  /// Running the query reports the error.
  let keys: Result<[Cell], ValueError>
  /// The links to follow; nil for a to-many, whose targets refer to the roots themselves.
  let link: LinkReference?
  /// The attribute of the targets that orders them, after the sorts of the query.
  let position: SendablePath?
  /// Whether the query is empty unless the context shows its one root.
  ///
  /// Roots that the same call has fetched need no check.
  let checksRoot: Bool

  init<Root: Entity>(
    _: Root.Type, _ keys: [Root.ID], link: LinkReference? = nil, position: SendablePath? = nil,
    checksRoot: Bool = true
  ) {
    root = Root.self
    do throws(ValueError) {
      self.keys = .success(try keys.map { key throws(ValueError) in try key.cell })
    } catch {
      self.keys = .failure(error)
    }
    self.link = link
    self.position = position
    self.checksRoot = checksRoot
  }
}

/// The one root of a relationship's query, without which the query is empty.
struct PlannedRoot: Sendable {
  let table: Table
  let key: RecordKey
}

/// The links that a query's rows must have.
struct PlannedLinks: Sendable {
  let end: JoinTable.End
  /// The keys of the roots.
  let roots: Set<Cell>

  /// Returns a column of the end's table as SQL.
  func name(_ column: Int) -> String { "l.\(end.table.columns[column].name.quotedIdentifier)" }

  /// The links themselves as a query of their own table.
  var plan: QueryPlan {
    let column = end.table.columns[end.root].name.quotedIdentifier
    return QueryPlan(
      end.table,
      .isIn(.attribute(ResolvedAttribute(join: 0, column: end.root, name: "t0.\(column)")), roots))
  }
}

extension QueryResolver {
  /// Finds the tables that a relationship's query needs besides its own.
  func resolve(
    _ source: RelationshipSource
  ) throws(StoreError) -> (root: PlannedRoot?, links: PlannedLinks?) {
    let table = try model.table(of: source.root, for: root.entity)
    let keys: [Cell]
    do { keys = try source.keys.get() } catch {
      throw .query("\(table.entity): \(error.message)", entity: table.entity)
    }
    let only = source.checksRoot ? keys.first : nil
    let planned = only.map { PlannedRoot(table: table, key: RecordKey($0)) }
    guard let link = source.link else { return (planned, nil) }
    return (planned, PlannedLinks(end: try end(of: link), roots: Set(keys)))
  }
}
