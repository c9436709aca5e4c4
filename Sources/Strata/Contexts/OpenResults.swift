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
  private(set) var index = ResultIndex()
  /// The results by the queries that the maintainer keeps for them.
  private var owners: [LiveID: Int] = [:]
  private var unreported: Set<Int> = []
  private var lastID = 0
  /// The results that the current round of sweeps has not looked at yet.
  private var unswept: [Int] = []

  /// The results in the order in which they were opened.
  var all: [LiveResult] { entries.sorted { $0.key < $1.key }.compactMap(\.value.result) }

  func result(_ number: Int) -> LiveResult? { entries[number]?.result }

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
    index.add(id, result.plan)
    result.onUnreported { [weak self] in self?.unreported.insert(id) }
    result.onPlan { [weak self] in self?.didChangePlan(of: id) }
    return id
  }

  /// Returns the number under which a result was added.
  func number(of result: LiveResult) -> Int? {
    entries.first { $0.value.result === result }?.key
  }

  private func didChangePlan(of number: Int) {
    guard let entry = entries[number], let plan = entry.result?.plan else { return }
    index.remove(number, entry.plan)
    entries[number]?.plan = plan
    index.add(number, plan)
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
      index.remove(number, entry.plan)
      for id in entry.ids { owners[id] = nil }
      close(entry.ids)
    }
    unswept.removeLast(min(256, unswept.count))
  }

  /// Returns the numbers of the results that have some queries.
  func numbers(of ids: some Sequence<LiveID>) -> [Int] {
    Set(ids.compactMap { owners[$0] }).sorted()
  }

  /// Copies of what all results show.
  var versions: ResultVersions {
    var contents = [Int: LiveContents](minimumCapacity: entries.count)
    for (number, entry) in entries { contents[number] = entry.result?.contents }
    return ResultVersions(index, contents)
  }
}

extension OpenResults: @MainActor ShownResults {
  subscript(number: Int) -> LiveContents? { entries[number]?.result?.contents }

  func stored(_ key: RecordKey, in table: TableID, of number: Int) -> Record? {
    entries[number]?.result?.contents.stored(key, in: table)
  }

  func addStored(
    _ keys: Set<RecordKey>, in table: TableID, of number: Int,
    to found: inout [RecordKey: Record]
  ) {
    entries[number]?.result?.contents.addStored(keys, in: table, to: &found)
  }

  func change(_ number: Int, _ body: (inout LiveContents) -> Void) {
    entries[number]?.result?.change(body)
  }
}
