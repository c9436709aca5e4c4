/// The live results that a change of the view context changes: those that are open, or copies of them.
protocol ShownResults {
  var index: ResultIndex { get }

  /// Returns what a result shows; nil if nobody holds the result any more.
  subscript(number: Int) -> LiveContents? { get }

  /// Returns the store's row for a key, if a result has it.
  func stored(_ key: RecordKey, in table: TableID, of number: Int) -> Record?

  /// Adds the rows of the store for some keys, as far as a result has them.
  func addStored(
    _ keys: Set<RecordKey>, in table: TableID, of number: Int,
    to found: inout [RecordKey: Record])

  /// Changes what a result shows.
  mutating func change(_ number: Int, _ body: (inout LiveContents) -> Void)
}

extension ShownResults {
  /// Returns the store's row for a key, if a result has it in memory.
  ///
  /// - Parameter guess: a row of the key that may be the store's.
  /// - Complexity: O(log *n*) if a result demands a value of the store's row and the guess has it; else
  ///   O(*q* log *n*) for *q* results of the table.
  func stored(_ key: RecordKey, in table: TableID, like guess: Record?) -> RecordState {
    // Results of one commit agree, so any of them will do.
    for number in index.results(demanding: guess, of: key, in: table) {
      if let record = stored(key, in: table, of: number) { return .record(record) }
    }
    for number in index.results(of: table) {
      if let record = stored(key, in: table, of: number) { return .record(record) }
    }
    return .unknown
  }

  /// Returns the store's rows for those of some keys that results have in memory.
  ///
  /// - Complexity: O(*n*) for *n* rows of the results of the table, at most O(*k* log *n*) for each result and
  ///   *k* keys.
  func stored(_ keys: Set<RecordKey>, in table: TableID) -> [RecordKey: Record] {
    var found: [RecordKey: Record] = [:]
    for number in index.results(of: table) { addStored(keys, in: table, of: number, to: &found) }
    return found
  }
}
