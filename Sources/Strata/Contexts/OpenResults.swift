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
  private var lastID = 0

  /// The results in the order in which they were opened.
  var all: [LiveResult] { entries.sorted { $0.key < $1.key }.compactMap(\.value.result) }

  subscript(number: Int) -> LiveResult? { entries[number]?.result }

  /// The numbers of the results that have changes to report, in the order in which they were opened.
  var unreportedNumbers: [Int] {
    entries.filter { $0.value.result?.hasUnreported == true }.keys.sorted()
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
    return id
  }

  /// Returns the number under which a result was added.
  func number(of result: LiveResult) -> Int? {
    entries.first { $0.value.result === result }?.key
  }

  func insert(_ id: LiveID, of number: Int) { entries[number]?.ids.insert(id) }

  func remove(_ id: LiveID, of number: Int) { entries[number]?.ids.remove(id) }

  /// Removes the entries of results that are gone.
  ///
  /// - Parameter close: closes the queries of such a result.
  /// - Returns: the remaining results with their numbers, in the order in which they were opened.
  func sweep(_ close: (Set<LiveID>) -> Void) -> [(number: Int, result: LiveResult)] {
    entries.keys.sorted().compactMap { number in
      guard let entry = entries[number] else { return nil }
      if let result = entry.result { return (number, result) }
      entries[number] = nil
      close(entry.ids)
      return nil
    }
  }
}
