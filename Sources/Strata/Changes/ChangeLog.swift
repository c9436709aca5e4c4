/// The change sets that somebody still has to read, oldest first, shared by all who read.
///
/// Publishing appends one reference. Each cursor stands before the first set that it has not read;
/// what every cursor has passed is freed. Every ``StoreBounds/unread`` sets that wait, neighbours
/// without a cursor between them are composed, so memory stays bounded by the number of distinct
/// keys changed and of cursors.
struct ChangeLog: Sendable {
  private struct Entry: Sendable {
    /// The change sets with the numbers from here up to the next entry, as one.
    let number: Int
    var changes: ChangeSet
    /// The number of sets composed into this one.
    var weight = 1
    /// How many cursors stand right before this entry.
    var cursors = 0
  }

  private var entries: ContiguousArray<Entry> = []
  private var nextNumber = 0
  /// Cursors that have read everything.
  private var cursorsAtEnd = 0
  /// How many sets may come to wait before neighbours are composed.
  private let runLimit: Int
  /// Past so many entries neighbours are composed; endless while they are.
  private var composeAt: Int

  init(runLimit: Int = StoreBounds().unread) {
    self.runLimit = runLimit
    composeAt = runLimit
  }

  /// A place in the log.
  struct Cursor: Sendable {
    fileprivate(set) var number: Int
  }

  /// Sets waiting, composed ones counted once.
  var count: Int { entries.count }

  /// A cursor that reads what is appended from now on.
  mutating func addCursor() -> Cursor {
    cursorsAtEnd += 1
    return Cursor(number: nextNumber)
  }

  /// Forgets a cursor, and what only it had not read.
  mutating func remove(_ cursor: Cursor) {
    leave(cursor)
    trim()
  }

  /// Adds a set; whoever appends composes neighbours when the log ``isLong``.
  mutating func append(_ changes: ChangeSet) {
    guard cursorsAtEnd > 0 || !entries.isEmpty else {
      nextNumber += 1
      return
    }
    entries.append(Entry(number: nextNumber, changes: changes, cursors: cursorsAtEnd))
    cursorsAtEnd = 0
    nextNumber += 1
  }

  /// Whether so many sets wait that neighbours are to be composed.
  var isLong: Bool { entries.count > composeAt }

  /// What the cursor has not read, and moves it to the end.
  mutating func read(_ cursor: inout Cursor) -> [ChangeSet] {
    let unread = entries[index(of: cursor)...].map(\.changes)
    leave(cursor)
    cursor.number = nextNumber
    cursorsAtEnd += 1
    trim()
    return unread
  }

  /// Sets that the cursor has not read, composed ones counted once.
  func unreadCount(_ cursor: Cursor) -> Int { entries.count - index(of: cursor) }

  func hasUnread(_ cursor: Cursor) -> Bool { cursor.number < nextNumber && !entries.isEmpty }

  private func index(of cursor: Cursor) -> Int {
    if cursor.number >= nextNumber { return entries.count }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number < cursor.number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func leave(_ cursor: Cursor) {
    let index = index(of: cursor)
    if index == entries.count { cursorsAtEnd -= 1 } else { entries[index].cursors -= 1 }
  }

  /// Frees what every cursor has passed.
  private mutating func trim() {
    let unread = entries.firstIndex { $0.cursors > 0 } ?? entries.count
    if unread > 0 { entries.removeFirst(unread) }
    if composeAt != .max { composeAt = min(composeAt, entries.count + runLimit) }
  }

  // MARK: Composing

  /// Neighbours without a cursor between them.
  struct Run: Sendable {
    fileprivate let number: Int
    fileprivate var sets: [ChangeSet]
    fileprivate var weight: Int

    /// All of them as one set; apart from the log, as it may take long.
    func composed() -> Run {
      var run = self
      run.sets = ChangeSet.composed(sets).map { [$0] } ?? []
      return run
    }
  }

  /// Neighbours of similar weight, to be composed as a binary counter adds: what waits between two
  /// cursors becomes logarithmically few entries.
  ///
  /// - Complexity: O(*n*) of the entries; nothing is composed.
  mutating func takeRuns() -> [Run] {
    var runs: [Run] = []
    for entry in entries {
      if let last = runs.last, entry.cursors == 0, last.weight <= entry.weight {
        runs[runs.count - 1].sets.append(entry.changes)
        runs[runs.count - 1].weight += entry.weight
      } else {
        runs.append(Run(number: entry.number, sets: [entry.changes], weight: entry.weight))
      }
    }
    // Until these are back, nobody looks for more.
    composeAt = .max
    return runs.filter { $0.sets.count > 1 }
  }

  /// Puts composed runs in the place of their sets; runs that were read meanwhile are dropped.
  mutating func putBack(_ runs: [Run]) {
    for run in runs {
      guard let changes = run.sets.first,
        let first = entries.firstIndex(where: { $0.number == run.number })
      else { continue }
      var end = first
      var weight = 0
      while end < entries.count, weight < run.weight {
        weight += entries[end].weight
        end += 1
      }
      entries[first].changes = changes
      entries[first].weight = weight
      entries.removeSubrange(first + 1..<end)
    }
    composeAt = entries.count + runLimit
  }
}
