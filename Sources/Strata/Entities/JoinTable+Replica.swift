extension Table {
  /// The columns of a join table with the keys of the two ends.
  package static let linkEnds = [JoinTable.owner, JoinTable.target]

  /// The column of a join table with the position of a link, if the links have an order.
  package static let linkPosition = JoinTable.position

  /// Checks that the key of a link is made of the keys of its ends; a row of an entity always passes.
  package func checkLink(_ row: Record) throws(ValueError) {
    guard isJoin else { return }
    let key = try JoinTable.key(row[JoinTable.owner], row[JoinTable.target])
    if key != row[Self.keyColumn] { throw ValueError("a link has another key than its ends") }
  }

  /// The usual name of the table on a server.
  package var serverName: String {
    guard isJoin else { return name }
    return name.dropFirst(ManyToManyDefinition.prefix.count).split(separator: ".")
      .joined(separator: "_")
  }
}
