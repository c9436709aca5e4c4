/// The keys that may differ between two versions of a live query.
enum ChangedKeys: Sendable {
  case some(KeyBatches)
  /// Any key may differ, because the query itself was changed.
  case every
  /// The result is the first, or its differences are too many to list.
  case all

  init(_ keys: some Sequence<RecordKey>) { self = .some(KeyBatches(ContiguousArray(keys))) }

  mutating func formUnion(_ other: ChangedKeys) {
    switch (self, other) {
    case (.all, _), (_, .all): self = .all
    case (.every, _), (_, .every): self = .every
    case (.some(var mine), .some(let theirs)):
      self = .all  // drops the second reference to the batches
      mine.append(theirs)
      self = mine.count > KeyBatches.limit ? .all : .some(mine)
    }
  }
}

/// Keys in batches as they came, with repetitions.
///
/// Adding a batch costs the main actor a single reference, whatever the batch's size.
struct KeyBatches: Sendable {
  /// The maximum number of keys between two versions that are listed.
  ///
  /// For more keys, loading a list anew costs less than so many single changes.
  static let limit = 50_000

  private var batches: [ContiguousArray<RecordKey>]
  /// The number of keys, repetitions included.
  private(set) var count: Int
  /// The number of keys after repetitions were last removed.
  private var countOfDistinct = 0

  init(_ keys: ContiguousArray<RecordKey>) {
    batches = [keys]
    count = keys.count
  }

  var isEmpty: Bool { count == 0 }

  mutating func append(_ other: KeyBatches) {
    batches += other.batches
    count += other.count
    // Without this, a consumer that does not read would pile up the same few keys for ever.
    if batches.count > 64 && count > 2 * max(countOfDistinct, 256) { removeRepetitions() }
  }

  private mutating func removeRepetitions() {
    let distinct = ContiguousArray(distinct)
    batches = [distinct]
    count = distinct.count
    countOfDistinct = distinct.count
  }

  var distinct: Set<RecordKey> {
    var keys = Set<RecordKey>(minimumCapacity: count)
    forEach { keys.insert($0) }
    return keys
  }

  private func forEach(_ body: (RecordKey) -> Void) {
    for batch in batches { for key in batch { body(key) } }
  }

  func contains(where condition: (RecordKey) -> Bool) -> Bool {
    batches.contains { $0.contains(where: condition) }
  }
}
