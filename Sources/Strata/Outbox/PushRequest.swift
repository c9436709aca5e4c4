/// One change that a server is to make.
public struct PushRequest: Sendable {
  /// What is to be done.
  public enum Kind: Sendable, Hashable {
    case insert, update, delete
  }

  /// What is to be done.
  public let kind: Kind
  /// The key of the entity.
  public let key: RecordKey
  /// The names of the attributes to send: all of them for an insertion, those edited here for an
  /// update, none for a deletion.
  public let attributes: Set<String>
  private let table: Table
  private let record: Record

  init?(_ row: UnpushedRows.Row, _ key: RecordKey, _ table: Table) {
    switch (row.before, row.after) {
    case (nil, nil): return nil
    case (nil, let after?):
      (kind, record, attributes) = (.insert, after, table.attributeNames(.all(after.count)))
    case (_?, let after?):
      (kind, record, attributes) = (.update, after, table.attributeNames(row.attributes))
    case (let before?, nil): (kind, record, attributes) = (.delete, before, [])
    }
    self.key = key
    self.table = table
  }

  /// The entity's name.
  public var entity: String { table.entity }

  /// The entity as it is to be, or as it was before it was deleted; nil if it is another one.
  public func value<E: Entity>(as type: E.Type) -> E? {
    table.isTable(of: type) ? table.decodeLeniently(record, as: type) : nil
  }
}

extension UnpushedRows {
  /// The changes as requests: insertions, each behind those that it refers to, then updates, in the
  /// order in which they began, then deletions, each before those that it refers to.
  func requests(_ model: Model) -> [PushRequest] {
    var order = Order(rows: self, model: model)
    let inserted = order.sorted { $0.before == nil }
    let deleted = order.sorted { $0.after == nil }.reversed()
    let updated = order.all { $0.before != nil && $0.after != nil }
    return (inserted + updated + deleted).compactMap { place in
      tables[place.table]?[place.key].flatMap {
        PushRequest($0, place.key, model[place.table])
      }
    }
  }

  private struct Place: Hashable {
    let table: TableID
    let key: RecordKey
  }

  private struct Order {
    let rows: UnpushedRows
    let model: Model

    /// The places of some rows by commit, table and key: the same every time.
    func all(_ isWanted: (Row) -> Bool) -> [Place] {
      var found: [(commit: Int64, place: Place)] = []
      for (table, rows) in rows.tables {
        for (key, row) in rows where isWanted(row) {
          found.append((row.commit, Place(table: table, key: key)))
        }
      }
      found.sort { left, right in
        if left.commit != right.commit { return left.commit < right.commit }
        if left.place.table != right.place.table { return left.place.table < right.place.table }
        return left.place.key < right.place.key
      }
      return found.map(\.place)
    }

    /// The places of some rows, each behind those that it refers to, unless in a circle.
    mutating func sorted(_ isWanted: (Row) -> Bool) -> [Place] {
      let places = all(isWanted)
      let wanted = Set(places)
      var visited: Set<Place> = []
      var result: [Place] = []
      for first in places {
        var stack = [(place: first, isDone: false)]
        while let (place, isDone) = stack.popLast() {
          if isDone {
            result.append(place)
            continue
          }
          guard visited.insert(place).inserted else { continue }
          stack.append((place, true))
          for target in targets(of: place) where wanted.contains(target) {
            if !visited.contains(target) { stack.append((target, false)) }
          }
        }
      }
      return result
    }

    private func targets(of place: Place) -> [Place] {
      guard let row = rows.tables[place.table]?[place.key], let record = row.after ?? row.before
      else { return [] }
      return model[place.table].references.compactMap { reference in
        record.isNull(reference.column)
          ? nil : Place(table: reference.target, key: record.key(reference.column))
      }
    }
  }
}
