internal import Strata
internal import StrataReplica

/// The tables of a replica on the server, and how their columns become attributes.
///
/// The server's owner may rename, restore and alter tables while a replica is connected. So each pull and
/// each statement that fails compares the tables with their shapes of that moment.
struct ServerTables: Sendable {
  private let followed: FollowedTables
  /// The names as the program has given them, in the order of the followed tables.
  let names: [(table: Table, names: ServerNames)]
  /// The mappings in the order of the tables' numbers, in which they are locked.
  private(set) var mappings: [TableMapping] = []

  /// - Throws: ``ReplicaError`` with code `unsuitableServer` if a name is wrong.
  init(_ followed: FollowedTables, on given: [ServerTable]) throws(ReplicaError) {
    self.followed = followed
    names = try ServerNames.names(of: followed.tables, in: given)
  }

  /// The statement that reads the shapes of the tables.
  var select: ServerStatement {
    var statement = ServerStatement(
      ServerShape.select, [names.map(\.names.name).arrayText])
    statement.name = "strata_shape"
    return statement
  }

  /// Makes the mappings anew.
  ///
  /// - Throws: ``ReplicaError`` with code `unsuitableServer` if a table cannot be followed.
  mutating func take(_ shapes: [ServerShape]) throws(ReplicaError) {
    var made: [TableMapping] = []
    for (table, names) in names {
      guard let shape = shapes.table(named: names) else {
        throw ReplicaError(
          .unsuitableServer, "the server has no table \(names.table) that is prepared for replicas",
          advice: "call StrataPostgres.prepare with all tables of the replica")
      }
      let target = followed[table]?.reference?.target
      made.append(
        try TableMapping(
          table, followed[table], of: made.first { $0.table === target }, names, shape))
    }
    mappings = made.sorted { $0.number < $1.number }
  }

  /// Returns whether the tables are those of the mappings.
  func fit(_ shapes: [ServerShape]) -> Bool {
    mappings.count == names.count
      && names.allSatisfy { table, names in
        shapes.table(named: names).map { self[table].fits($0) } ?? false
      }
  }

  subscript(number: Int) -> TableMapping? { mappings.first { $0.number == number } }

  /// The mapping of a table that the replica follows.
  subscript(table: Table) -> TableMapping {
    guard let mapping = mappings.first(where: { $0.table === table }) else {
      fatalError("\(table.name) is not a table of this replica")
    }
    return mapping
  }
}

extension TableMapping {
  /// Returns whether a later shape is that of the same table, with the same columns and triggers.
  func fits(_ later: ServerShape) -> Bool {
    later.number == shape.number && later.relation == shape.relation
      && later.schema == shape.schema && later.columns == shape.columns
      && later.unseen == nil && later.isKeyed
  }

  /// A text that is another one if rows may have changed unseen, or become other rows of the store.
  ///
  /// A new filter finds rows that were left out, and new columns or types have other values.
  func fingerprint(_ shape: ServerShape) -> String {
    let columns = names.columns.indices.map { "\(names.columns[$0]) \(type(of: $0).rawValue)" }
    return ([shape.fingerprint, filterText] + columns).joined(separator: " ")
  }
}
