internal import StrataSQLite

/// The search for rows of an import that cannot be stored because of an edit that waits.
///
/// A server's row may require a row whose deletion waits here. A row that the server has deleted may be
/// one to which an edited row or a row that no server has sent refers, by a rule that denies the deletion. A
/// further row may have a unique value of a row that stays so.
/// Each such row is left out, so that it costs neither the rest of the import nor the push. Once the edit
/// is acknowledged or given up, the next import of the row decides anew.
struct HinderedRows {
  private let protected: ProtectedRows
  private let store: StoreAccess
  /// The rows that were found.
  private(set) var places: [WorkingSet.Place] = []
  /// The rows that were found, or that the import has left out before.
  private var found: [TableID: Set<RecordKey>] = [:]
  /// The rows that stay although the server has deleted them.
  private var staying: [TableID: Set<RecordKey>] = [:]

  /// - Parameters:
  ///   - staying: the rows that the import has kept although the server has deleted them.
  ///   - dropped: the rows that the import has left out.
  init(
    _ protected: ProtectedRows, _ transaction: Transaction, staying: [WorkingSet.Place],
    dropped: [WorkingSet.Place]
  ) {
    self.protected = protected
    store = transaction.store
    for (table, key) in staying { self.staying[table, default: []].insert(key) }
    for (table, key) in dropped { found[table, default: []].insert(key) }
  }

  /// Finds further such rows among the rows that wait.
  ///
  /// - Parameters:
  ///   - denials: the reasons of the deletions among the rows.
  ///   - attempt: the rows that can be stored.
  mutating func find(
    _ waiting: [DeleteRules.WaitingRow], _ denials: [StoreError], in working: inout WorkingSet,
    lacking attempt: inout WorkingSet
  ) throws(StoreError) -> [WorkingSet.Place] {
    var new: [WorkingSet.Place] = []
    for place in waiting where found[place.table]?.contains(place.key) != true {
      guard let row = working.find(place.table, place.key) else { continue }
      let isHindered =
        if let after = row.after {
          try lacksTarget(after, of: store.model[place.table], &attempt)
        } else {
          try isDenied(place.key, denials)
        }
      guard isHindered else { continue }
      if row.after == nil { staying[place.table, default: []].insert(place.key) }
      new.append(note(place.table, place.key))
    }
    return new
  }

  /// Finds the rows that have a unique value of a row which stays.
  mutating func findTaken(in working: inout WorkingSet) throws(StoreError) -> [WorkingSet.Place] {
    var new: [WorkingSet.Place] = []
    for (id, staying) in staying {
      for unique in store.model[id].uniques {
        let collisions = try UniqueValues(store: store)
          .collisions(in: &working, of: store.model[id], unique)
        for collision in collisions where staying.contains(collision.owner) {
          if found[id]?.contains(collision.row.key) == true { continue }
          new.append(note(id, collision.row.key))
        }
      }
    }
    return new
  }

  private mutating func note(_ table: TableID, _ key: RecordKey) -> WorkingSet.Place {
    found[table, default: []].insert(key)
    places.append((table, key))
    return (table, key)
  }

  /// Returns whether a row requires a row that an edit has deleted, or that was left out for such a reason.
  private func lacksTarget(
    _ row: Record, of table: Table, _ attempt: inout WorkingSet
  ) throws(StoreError) -> Bool {
    for reference in table.references where reference.isRequired {
      let (target, key) = (store.model[reference.target], row.key(reference.column))
      if let other = attempt.find(target.id, key) {
        if other.after != nil { continue }
      } else if try store.connection.hasRow(key, of: target) {
        continue
      }
      if found[target.id]?.contains(key) == true { return true }
      if try protected.hasEdit(of: target, key) { return true }
    }
    return false
  }

  /// Returns whether a row that only this store knows denies a deletion.
  private func isDenied(_ key: RecordKey, _ denials: [StoreError]) throws(StoreError) -> Bool {
    for denial in denials where denial.keys.first == key {
      guard let referrer = denial.keys.last,
        let table = store.model.tables.first(where: { $0.entity == denial.entity })
      else { continue }
      if try protected.hasEdit(of: table, referrer) { return true }
      if try protected.isLocal(table, referrer) { return true }
    }
    return false
  }
}
