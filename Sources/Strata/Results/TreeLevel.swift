internal import StrataSQLite

/// One level of a live tree: the rows of a table to which the rows of another level lead.
///
/// The rows meet the filter of the plan, which reads their own columns only.
final class TreeLevel: Sendable {
  /// How the rows above lead to the rows of the level.
  enum Route: Sendable, Hashable {
    /// A column of the level's rows has the key of a row above.
    case referring(column: Int)
    /// A column of the rows above has the key of a row of the level.
    case referred(column: Int)
  }

  /// The number of the level above; nil for the roots.
  let parent: Int?
  let route: Route
  /// The query for the level's rows, without limit and offset.
  let plan: QueryPlan
  /// The order of the level's tree, in which the rows under one row stand together.
  let order: RecordOrder
  /// The number of rows under each row above that decide what the tree shows; nil for all rows.
  let reach: Int?
  /// The aggregates over no rows, by the key of the row above; nil without aggregates.
  let emptyFold: AggregateFold?

  init(
    _ plan: QueryPlan, under parent: Int?, by route: Route, reach: Int? = nil,
    fold: AggregateFold? = nil
  ) {
    self.plan = plan
    self.parent = parent
    self.route = route
    self.reach = reach
    emptyFold = fold
    order =
      switch route {
      case .referring(let column): plan.order.grouped(by: column)
      case .referred: .byKey
      }
  }

  var table: Table { plan.table }

  /// The number of rows that are read under each row above; nil for all rows.
  ///
  /// The rows beyond ``reach`` are spare, so that a deletion need not read at once.
  var window: Int? { reach.map { $0 + max(4, $0) } }

  /// Returns whether a row meets the filter of the level.
  func matches(_ row: Record) -> Bool { plan.filter?.matches(row) ?? true }

  /// An identity that is equal for levels with the same rows under the same rows above.
  struct Identity: Sendable, Hashable {
    fileprivate let parent: Int?
    fileprivate let route: Route
    fileprivate let plan: SQLBuilder
    fileprivate let reach: Int?
    fileprivate let terms: [String]?
  }

  var identity: Identity {
    Identity(
      parent: parent, route: route, plan: plan.identity, reach: reach,
      terms: emptyFold?.terms.map { term in term.sql { "\($0)" } })
  }
}

/// The levels of a live tree, and what the tree shows beside each root.
struct TreePlan: Sendable {
  private(set) var levels: [TreeLevel] = []
  private(set) var branches: [TreeBranch] = []

  /// Adds a level, unless there is an equal one, and returns its number.
  mutating func add(_ level: TreeLevel) -> Int {
    let identity = level.identity
    if let equal = levels.firstIndex(where: { $0.identity == identity }) { return equal }
    levels.append(level)
    return levels.count - 1
  }

  mutating func add(_ branch: TreeBranch) { branches.append(branch) }
}
