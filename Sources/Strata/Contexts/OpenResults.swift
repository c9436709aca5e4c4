/// The live results of a view context, and the queries that the maintainer keeps for them.
///
/// A result is held weakly. Its entry remains until ``sweep(_:)`` finds the result gone.
@MainActor
final class OpenResults {
  private struct Entry {
    weak var result: LiveResult?
    var ids: Set<LiveID>
  }

  private var entries: [Int: Entry] = [:]
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

  /// The results in any order, which costs no sorting.
  var unordered: some Sequence<LiveResult> { entries.values.lazy.compactMap(\.result) }

  /// Returns a number for another query of a result.
  func nextID() -> LiveID {
    lastID += 1
    return lastID
  }

  /// Adds a result for which the maintainer keeps no query yet, and returns its number.
  func add(_ result: LiveResult) -> LiveID {
    let id = nextID()
    entries[id] = Entry(result: result, ids: [])
    result.onUnreported { [weak self] in self?.unreported.insert(id) }
    return id
  }

  /// Returns the number under which a result was added.
  func number(of result: LiveResult) -> Int? {
    entries.first { $0.value.result === result }?.key
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
}
