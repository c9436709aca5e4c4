/// The live results of a view context, and the queries that the maintainer keeps for them.
///
/// A result is held weakly. Its entry remains until ``sweep(_:)`` finds the result gone.
@MainActor
final class OpenResults {
  private struct Entry {
    weak var result: LiveResult?
    /// The plan by which the result is found.
    var plan: LivePlan
    var ids: Set<LiveID> = []
  }

  private var entries: [Int: Entry] = [:]
  /// Finds the results that an edit can concern.
  private var index = QueryIndex<Int>()
  private var ofTable: [TableID: Set<Int>] = [:]
  /// The results by the queries that the maintainer keeps for them.
  private var owners: [LiveID: Int] = [:]
  private var unreported: Set<Int> = []
  private var lastID = 0
  /// The results that the current round of sweeps has not looked at yet.
  private var unswept: [Int] = []

  /// The results in the order in which they were opened.
  var all: [LiveResult] { entries.sorted { $0.key < $1.key }.compactMap(\.value.result) }

  subscript(number: Int) -> LiveResult? { entries[number]?.result }

  /// Returns the numbers of the results that have changes to report since the last call, in the order
  /// in which they were opened.
  func takeUnreported() -> [Int] {
    defer { unreported = [] }
    return unreported.filter { entries[$0]?.result?.hasUnreported == true }.sorted()
  }

  /// Returns a number for another query of a result.
  func nextID() -> LiveID {
    lastID += 1
    return lastID
  }

  /// Adds a result for which the maintainer keeps no query yet, and returns its number.
  func add(_ result: LiveResult) -> LiveID {
    let id = nextID()
    entries[id] = Entry(result: result, plan: result.plan)
    find(id, by: result.plan)
    result.onUnreported { [weak self] in self?.unreported.insert(id) }
    result.onPlan { [weak self] in self?.didChangePlan(of: id) }
    return id
  }

  /// Returns the number under which a result was added.
  func number(of result: LiveResult) -> Int? {
    entries.first { $0.value.result === result }?.key
  }

  private func find(_ number: Int, by plan: LivePlan) {
    index.add(number, plan)
    ofTable[plan.table.id, default: []].insert(number)
  }

  private func forget(_ number: Int, _ plan: LivePlan) {
    index.remove(number, plan)
    ofTable[plan.table.id]?.remove(number)
  }

  private func didChangePlan(of number: Int) {
    guard let entry = entries[number], let plan = entry.result?.plan else { return }
    forget(number, entry.plan)
    entries[number]?.plan = plan
    find(number, by: plan)
  }

  func insert(_ id: LiveID, of number: Int) {
    guard entries[number] != nil else { return }
    entries[number]?.ids.insert(id)
    owners[id] = number
  }

  func remove(_ id: LiveID, of number: Int) {
    entries[number]?.ids.remove(id)
    owners[id] = nil
  }

  /// Removes the entries of results that are gone, of many results only some in a turn.
  ///
  /// - Parameter close: closes the queries of such a result.
  func sweep(_ close: (Set<LiveID>) -> Void) {
    if unswept.isEmpty { unswept = Array(entries.keys) }
    for number in unswept.suffix(256) {
      guard let entry = entries[number], entry.result == nil else { continue }
      entries[number] = nil
      forget(number, entry.plan)
      for id in entry.ids { owners[id] = nil }
      close(entry.ids)
    }
    unswept.removeLast(min(256, unswept.count))
  }

  /// Returns the results that have some queries, with their numbers, in the order in which they were
  /// opened.
  func results(of ids: some Sequence<LiveID>) -> [(number: Int, result: LiveResult)] {
    Set(ids.compactMap { owners[$0] }).sorted().compactMap { number in
      entries[number]?.result.map { (number, $0) }
    }
  }

  // MARK: Rows of the store

  /// Returns the store's row for a key, if a result has it in memory.
  ///
  /// - Parameter guess: a row of the key that may be the store's.
  /// - Complexity: O(log *n*) if a result demands a value of the store's row and the guess has it; else
  ///   O(*q* log *n*) for *q* results of the table.
  func stored(_ key: RecordKey, in table: TableID, like guess: Record?) -> RecordState {
    // Results of one commit agree, so any of them will do.
    stored(key, in: table, of: index.queries(concernedBy: key, in: table, guess))
      .or(stored(key, in: table, of: ofTable[table] ?? []))
  }

  private func stored(_ key: RecordKey, in table: TableID, of numbers: Set<Int>) -> RecordState {
    for number in numbers {
      guard let result = entries[number]?.result, result.plan.table.id == table else { continue }
      if let record = result.stored(key) { return .record(record) }
    }
    return .unknown
  }

  /// Returns the store's rows for those of some keys that results have in memory.
  ///
  /// - Complexity: O(*n*) for *n* rows of the results of the table, at most O(*k* log *n*) for each result and
  ///   *k* keys.
  func stored(_ keys: Set<RecordKey>, in table: TableID) -> [RecordKey: Record] {
    var found: [RecordKey: Record] = [:]
    for number in ofTable[table] ?? [] { entries[number]?.result?.addStored(keys, to: &found) }
    return found
  }

  // MARK: Edits

  /// The rows that the context showed for some keys before an edit, and that it shows after it.
  struct EditedRows {
    fileprivate(set) var keys: [RecordKey] = []
    fileprivate var rows: [(before: Record?, after: Record?)] = []
    /// Whether a row is not known, so that every result of the table may be concerned.
    fileprivate var hasUnknown = false

    /// Adds a key.
    ///
    /// - Parameter before: nil if it is not known which row was shown before.
    mutating func add(_ key: RecordKey, before: RecordState?, after: RecordState) {
      keys.append(key)
      rows.append((before?.record, after.record))
      if before == nil { hasUnknown = true }
    }
  }

  /// Returns the results that edits can concern, with the edited keys of their table that concern them.
  ///
  /// - Complexity: O(*k* + *q*) for *k* keys and *q* returned results, besides the copies of keys.
  func results(
    concernedBy edits: [TableID: EditedRows]
  ) -> [(number: Int, result: LiveResult, keys: [RecordKey])] {
    var concerned: [Int: [RecordKey]] = [:]
    for (table, edits) in edits {
      let all =
        edits.hasUnknown ? ofTable[table] ?? [] : index.queries(concernedByAnyOf: table)
      for number in all { concerned[number, default: []] += edits.keys }
      for (key, rows) in zip(edits.keys, edits.rows) {
        for number in index.queries(concernedBy: key, in: table, rows.before, rows.after)
        where !all.contains(number) {
          // The root of a result is no row of it.
          let isRow = entries[number]?.plan.table.id == table
          concerned[number, default: []] += isRow ? [key] : []
        }
      }
    }
    return concerned.compactMap { number, keys in
      entries[number]?.result.map { (number, $0, keys) }
    }
  }
}
