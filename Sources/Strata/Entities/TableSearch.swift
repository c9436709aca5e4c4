internal import StrataSQLite

/// The indexes of a table's words and places, and the statements that keep them exact.
///
/// The writer runs these beside the statements of a row. Triggers would also cover other programs'
/// writes. But a statement with triggers opens a savepoint, and at each savepoint FTS5 writes the
/// entries that it has gathered in memory. With triggers, 100,000 inserts take six times as long.
struct TableSearch: Sendable {
  struct Text: Sendable {
    let index: SearchIndex
    let described: SchemaDescription.FullText
    let columns: [Int]
    /// The weight of a word in each of the columns.
    let weights: [Double]
    let insert: SQL
    let delete: SQL
  }

  struct Places: Sendable {
    let index: SearchIndex
    let described: SchemaDescription.Spatial
    let latitude: Int
    let longitude: Int
    let insert: SQL
    let delete: SQL
  }

  /// A name of the row number, as SQL.
  let rowID: String
  let text: Text?
  let places: [Places]
  /// The attributes that are indexed.
  let attributes: AttributeSet

  var indexes: [SearchIndex] { (text.map { [$0.index] } ?? []) + places.map(\.index) }

  /// Creates the indexes of a table.
  ///
  /// The result is nil for a table without such indexes, which then costs nothing.
  init?(_ table: SchemaDescription.Table, columns: [String], weights: [Double]) {
    if table.fullText == nil && table.spatial.isEmpty { return nil }
    guard let rowID = table.rowIDName else { return nil }
    self.rowID = rowID
    let positions = { (names: [String]) in
      names.compactMap { name in columns.firstIndex { $0.isSameName(as: name) } }
    }
    text = table.fullText.map { described in
      let index = SearchIndex.text(described, of: table.name, rowID: rowID)
      let name = index.name.quotedIdentifier
      let list = described.columns.map(\.quotedIdentifier).joined(separator: ", ")
      let parameters = described.columns.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
      return Text(
        index: index, described: described, columns: positions(described.columns),
        weights: weights,
        insert: SQL("INSERT INTO \(name) (rowid, \(list)) VALUES (?1, \(parameters))"),
        // FTS5 does not store the texts and cannot look them up, so the deletion names the old
        // words.
        delete: SQL(
          "INSERT INTO \(name) (\(name), rowid, \(list)) VALUES ('delete', ?1, \(parameters))"))
    }
    places = table.spatial.map { described in
      let index = SearchIndex.places(described, of: table.name, rowID: rowID)
      let name = index.name.quotedIdentifier
      let columns = positions(index.columns)
      return Places(
        index: index, described: described, latitude: columns[0], longitude: columns[1],
        insert: SQL(
          "INSERT INTO \(name) (id, south, north, west, east) VALUES (?1, ?2, ?2, ?3, ?3)"),
        delete: SQL("DELETE FROM \(name) WHERE id = ?1"))
    }
    attributes = AttributeSet(
      (text?.columns ?? []) + places.flatMap { [$0.latitude, $0.longitude] })
  }
}

// MARK: - Keeping them exact

extension TableSearch {
  /// Adds an inserted row to the indexes.
  func insert(
    _ record: Record, at rowID: Int64, _ connection: Connection
  ) throws(StoreError) {
    if let text { try text.run(text.insert, record, rowID, connection) }
    for places in places { try places.insert(record, rowID, connection) }
  }

  /// Removes a deleted row from the indexes.
  func delete(
    _ record: Record, at rowID: Int64, _ connection: Connection
  ) throws(StoreError) {
    if let text { try text.run(text.delete, record, rowID, connection) }
    for places in places { try places.delete(record, rowID, connection) }
  }

  /// Updates the indexes for a row that changes in some attributes.
  ///
  /// Indexes of other attributes are left alone.
  func update(
    _ changed: AttributeSet, from before: Record, to after: Record, at rowID: Int64,
    _ connection: Connection
  ) throws(StoreError) {
    if let text, text.columns.contains(where: changed.contains) {
      try text.run(text.delete, before, rowID, connection)
      try text.run(text.insert, after, rowID, connection)
    }
    for places in places
    where changed.contains(places.latitude) || changed.contains(places.longitude) {
      try places.delete(before, rowID, connection)
      try places.insert(after, rowID, connection)
    }
  }
}

extension TableSearch.Text {
  fileprivate func run(
    _ sql: SQL, _ record: Record, _ rowID: Int64, _ connection: Connection
  ) throws(StoreError) {
    let statement = try connection.prepared(sql)
    statement.bind(1, rowID)
    try record.withView { view throws(StoreError) in
      for (position, column) in columns.enumerated() {
        view.bind(column, to: statement, at: Int32(truncatingIfNeeded: position + 2))
      }
      try statement.perform()
    }
  }
}

extension TableSearch.Places {
  fileprivate func insert(
    _ record: Record, _ rowID: Int64, _ connection: Connection
  ) throws(StoreError) {
    guard let place = place(of: record) else { return }
    let statement = try connection.prepared(insert)
    statement.bind(1, rowID)
    statement.bind(2, place.latitude)
    statement.bind(3, place.longitude)
    try statement.perform()
  }

  fileprivate func delete(
    _ record: Record, _ rowID: Int64, _ connection: Connection
  ) throws(StoreError) {
    if place(of: record) == nil { return }
    let statement = try connection.prepared(delete)
    statement.bind(1, rowID)
    try statement.perform()
  }

  private func place(of record: Record) -> Coordinate? {
    record.withView { $0.place(latitude: latitude, longitude: longitude) }
  }
}

extension RecordView {
  /// Returns the place in two cells, or nil if they are not a valid place.
  @inline(__always)
  func place(latitude: Int, longitude: Int) -> Coordinate? {
    guard tag(latitude) == CellTag.real.rawValue, tag(longitude) == CellTag.real.rawValue else {
      return nil
    }
    let place = Coordinate(latitude: real(latitude), longitude: real(longitude))
    return place.isValid ? place : nil
  }
}
