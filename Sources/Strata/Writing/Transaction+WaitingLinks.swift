internal import StrataSQLite

/// A relationship as one of its ends, in which links may wait.
private struct WaitingEnd {
  /// The join table, or the table whose rows refer.
  let table: Table
  /// The column that refers; nil for a join table.
  let column: Int?
  /// Whether rows of this end are the links' owners; if not, their targets.
  let isOwner: Bool

  var relationship: String { WaitingLinkTable.name(table, column) }
}

extension Model {
  /// Returns the ends of relationships whose rows are the rows of a table.
  fileprivate func waitingEnds(of table: Table) -> [WaitingEnd] {
    let others = table.referrers.map { referrer in
      let other = self[referrer.table]
      return other.isJoin
        ? WaitingEnd(table: other, column: nil, isOwner: referrer.column == JoinTable.owner)
        : WaitingEnd(table: other, column: referrer.column, isOwner: true)
    }
    if table.isJoin { return [] }
    return others
      + table.references.map { WaitingEnd(table: table, column: $0.column, isOwner: false) }
  }
}

extension Transaction {
  /// Whether links wait. The answer may be true although the last of them was made.
  private mutating func hasWaitingLinks() throws(StoreError) -> Bool {
    if let mayHaveWaitingLinks { return mayHaveWaitingLinks }
    let found = try !WaitingLinkTable.isEmpty(connection)
    mayHaveWaitingLinks = found
    return found
  }

  // MARK: - Making links

  /// Makes the links that wait for rows which are about to be inserted, and forgets those of rows which
  /// are about to be deleted.
  ///
  /// References are set in the inserted rows themselves, unless these have other references. A link
  /// with an edit that waits to be pushed is left to the edit.
  ///
  /// - Returns: new rows of join tables, to be written without the outbox; nil if there are none.
  mutating func makeWaitingLinks(
    for working: inout WorkingSet
  ) throws(StoreError) -> WorkingSet? {
    guard model.hasReferences, working.hasInsertionsOrDeletions, try hasWaitingLinks() else {
      return nil
    }
    let followed = try OutboxTable.replicatedTables(connection)?.pushed ?? []
    for id in working.tableIDs {
      let ends = model.waitingEnds(of: model[id])
      if ends.isEmpty { continue }
      for row in working.tables[id]?.all ?? [] where row.before != nil && row.after == nil {
        for end in ends {
          try WaitingLinkTable.remove(
            of: row.key, isOwner: end.isOwner, in: end.relationship, connection)
        }
      }
    }
    var links = WorkingSet()
    for id in working.tableIDs {
      let ends = model.waitingEnds(of: model[id])
      if ends.isEmpty { continue }
      let rows = working.tables[id]?.all ?? []
      for (position, row) in rows.enumerated() where row.before == nil {
        guard row.after != nil else { continue }
        for end in ends {
          let waiting = try WaitingLinkTable.links(
            of: row.key, isOwner: end.isOwner, in: end.relationship, connection)
          if waiting.isEmpty { continue }
          // A replica may have been opened since.
          for link in waiting where !followed.contains(end.table.name) {
            if let column = end.column {
              try refer(link, by: column, in: id, at: position, &working)
            } else {
              try make(link, in: end.table, working: &working, &links)
            }
          }
          try WaitingLinkTable.remove(
            of: row.key, isOwner: end.isOwner, in: end.relationship, connection)
        }
      }
    }
    return links.tables.isEmpty ? nil : links
  }

  /// Sets the reference of an inserted row that has none.
  private func refer(
    _ link: WaitingLink, by column: Int, in table: TableID, at position: Int,
    _ working: inout WorkingSet
  ) throws(StoreError) {
    let reference = model[table].references.first { $0.column == column }
    guard let target = reference?.target, let row = working.tables[table]?.all[position],
      row.key == link.target, let after = row.after, after.isNull(column),
      try exists(link.owner, in: target, &working)
    else { return }
    do throws(ValueError) {
      working.tables[table]?.set(try after.setting(column, to: link.owner.cell), at: position)
    } catch {
      throw .query("\(model[table].entity): \(error.message)", entity: model[table].entity)
    }
  }

  /// Adds a row of a join table, unless the link exists or one of its rows does not.
  private func make(
    _ link: WaitingLink, in join: Table, working: inout WorkingSet, _ links: inout WorkingSet
  ) throws(StoreError) {
    for (column, key) in [(JoinTable.owner, link.owner), (JoinTable.target, link.target)] {
      guard let end = join.references.first(where: { $0.column == column }),
        try exists(key, in: end.target, &working)
      else { return }
    }
    let record: Record
    do throws(ValueError) {
      let key = try JoinTable.key(link.owner.cell, link.target.cell)
      let cells = [key, link.owner.cell, link.target.cell]
      record = try Record(
        join.columns.count > cells.count ? cells + [.real(link.position ?? 0)] : cells)
    } catch {
      throw .query("\(join.entity): \(error.message)", entity: join.entity)
    }
    let key = record.key(Table.keyColumn)
    guard working.find(join.id, key) == nil, links.find(join.id, key) == nil,
      try OutboxTable.entry(join, key, connection) == nil,
      try store.record(key, of: join) == nil
    else { return }
    links.tables[join.id, default: .init()].append(.init(key: key, before: nil, after: record))
  }

  private func exists(
    _ key: RecordKey, in table: TableID, _ working: inout WorkingSet
  ) throws(StoreError) -> Bool {
    if let row = working.find(table, key) { return row.after != nil }
    let statement = try connection.prepared(model[table].sql.exists)
    key.bind(to: statement, at: 1)
    return try statement.hasRow()
  }

  // MARK: - Keeping links

  /// Keeps the links of a row that an import has read and that have no other row.
  ///
  /// - Parameters:
  ///   - table: the join table, or the table whose rows refer.
  ///   - column: the column that refers to the row; nil for a join table.
  ///   - isOwner: whether the row is the links' owner.
  ///   - replaces: whether these are all waiting links of the row.
  /// - Returns: whether all of them wait.
  mutating func keep(
    _ links: [WaitingLink], of row: RecordKey, in table: Table, _ column: Int?, isOwner: Bool,
    replaces: Bool
  ) throws(StoreError) -> Bool {
    let mayBeKnown = try hasWaitingLinks()
    if links.isEmpty && !mayBeKnown { return true }
    let relationship = WaitingLinkTable.name(table, column)
    let known = Set(
      try WaitingLinkTable.links(of: row, isOwner: isOwner, in: relationship, connection))
    if replaces {
      for link in known.subtracting(links) {
        try WaitingLinkTable.remove(link, in: relationship, connection)
        isCounted = true
      }
    }
    let new = links.filter { !known.contains($0) }
    if new.isEmpty { return true }
    guard try keepsLinks(of: table, column), try exists(row, table, column, isOwner: isOwner)
    else { return false }
    var room: Int
    if let known = waitingLinkRoom {
      room = known
    } else {
      room = max(0, WaitingLinkTable.limit - (try WaitingLinkTable.count(connection)))
    }
    for link in new.prefix(room) {
      // A row refers to one other row.
      if column != nil {
        try WaitingLinkTable.remove(
          of: link.target, isOwner: false, in: relationship, connection)
      }
      try WaitingLinkTable.add(link, to: relationship, connection)
    }
    let isWhole = new.count <= room
    room -= min(room, new.count)
    (waitingLinkRoom, mayHaveWaitingLinks, isCounted) = (room, true, true)
    return isWhole
  }

  /// Whether links of a relationship may wait.
  ///
  /// A reference that a rule or a unique value may forbid would refuse its row. The rows of a replica
  /// are those of its server.
  private func keepsLinks(of table: Table, _ column: Int?) throws(StoreError) -> Bool {
    if let column,
      !table.columns[column].isOptional || table.rules?.mayRefuse(column) == true
        || table.uniques.contains(where: { $0.contains(column) })
    {
      return false
    }
    return try OutboxTable.replicatedTables(connection)?.pushed.contains(table.name) != true
  }

  private func exists(
    _ row: RecordKey, _ table: Table, _ column: Int?, isOwner: Bool
  ) throws(StoreError) -> Bool {
    let column = column ?? (isOwner ? JoinTable.owner : JoinTable.target)
    var working = WorkingSet()
    guard let reference = table.references.first(where: { $0.column == column }) else {
      return false
    }
    return try exists(row, in: reference.target, &working)
  }
}

extension WorkingSet {
  fileprivate var hasInsertionsOrDeletions: Bool {
    tables.values.contains { rows in
      rows.all.contains { ($0.before == nil) != ($0.after == nil) }
    }
  }
}
