/// The change sets that at least one consumer has not read, oldest first.
///
/// All consumers share the log: publishing appends one reference. Each cursor stands before the
/// first set that it has not read. A set that every cursor has passed is freed. Whenever
/// ``StoreBounds/unread`` more sets wait, neighbours without a cursor between them are composed.
/// This bounds memory by the number of distinct changed keys and the number of cursors.
struct ChangeLog: Sendable {
  private struct Entry: Sendable {
    /// The number of the entry's first set; the entry has all sets up to the next entry, as one.
    let number: Int
    var changes: ChangeSet
    /// The number of sets composed into `changes`.
    var weight = 1
    /// The number of cursors that stand right before this entry.
    var cursors = 0
  }

  private var entries: ContiguousArray<Entry> = []
  private var nextNumber = 0
  /// The number of cursors that have read everything.
  private var cursorsAtEnd = 0
  /// The number of sets that may wait before neighbours are composed.
  private let runLimit: Int
  /// The number of entries past which neighbours are composed; `Int.max` during a composition.
  private var composeAt: Int

  init(runLimit: Int = StoreBounds().unread) {
    self.runLimit = runLimit
    composeAt = runLimit
  }

  /// A position in the log.
  struct Cursor: Sendable {
    fileprivate(set) var number: Int
  }

  /// The number of waiting sets; a composed set counts once.
  var count: Int { entries.count }

  /// Adds a cursor that reads the sets appended after this call.
  mutating func addCursor() -> Cursor {
    cursorsAtEnd += 1
    return Cursor(number: nextNumber)
  }

  /// Removes a cursor, and frees the sets that only this cursor had not read.
  mutating func remove(_ cursor: Cursor) {
    leave(cursor)
    trim()
  }

  /// Appends a set.
  ///
  /// If the log ``isLong`` afterwards, the caller composes neighbours.
  mutating func append(_ changes: ChangeSet) {
    guard cursorsAtEnd > 0 || !entries.isEmpty else {
      nextNumber += 1
      return
    }
    entries.append(Entry(number: nextNumber, changes: changes, cursors: cursorsAtEnd))
    cursorsAtEnd = 0
    nextNumber += 1
  }

  /// Whether so many sets wait that neighbours have to be composed.
  var isLong: Bool { entries.count > composeAt }

  /// Returns the sets that the cursor has not read, and moves the cursor to the end.
  mutating func read(_ cursor: inout Cursor) -> [ChangeSet] {
    let unread = entries[index(of: cursor)...].map(\.changes)
    leave(cursor)
    cursor.number = nextNumber
    cursorsAtEnd += 1
    trim()
    return unread
  }

  /// Returns the number of sets that the cursor has not read; a composed set counts once.
  func unreadCount(_ cursor: Cursor) -> Int { entries.count - index(of: cursor) }

  func hasUnread(_ cursor: Cursor) -> Bool { cursor.number < nextNumber && !entries.isEmpty }

  private func index(of cursor: Cursor) -> Int {
    entries.indices.partitioningIndex { entries[$0].number < cursor.number }
  }

  private mutating func leave(_ cursor: Cursor) {
    let index = index(of: cursor)
    if index == entries.count { cursorsAtEnd -= 1 } else { entries[index].cursors -= 1 }
  }

  /// Frees the sets that every cursor has passed.
  private mutating func trim() {
    let unread = entries.firstIndex { $0.cursors > 0 } ?? entries.count
    if unread > 0 { entries.removeFirst(unread) }
    if composeAt != .max { composeAt = min(composeAt, entries.count + runLimit) }
  }

  // MARK: Composing

  /// Neighbouring sets without a cursor between them.
  struct Run: Sendable {
    fileprivate let number: Int
    fileprivate var sets: [ChangeSet]
    fileprivate var weight: Int

    /// Returns the run with its sets composed into one.
    ///
    /// Composing may take long, so it works on a copy, apart from the log.
    func composed() -> Run {
      var run = self
      run.sets = ChangeSet.composed(sets).map { [$0] } ?? []
      return run
    }
  }

  /// Returns runs of neighbours of similar weight to compose, as a binary counter adds.
  ///
  /// Composing them leaves logarithmically few entries between two cursors. Until the runs are put
  /// back, there are no others: of two compositions of the same sets, the second would take the place
  /// of sets that it does not have.
  ///
  /// - Complexity: O(*n*) for *n* entries; nothing is composed.
  mutating func takeRuns() -> [Run] {
    if composeAt == .max { return [] }
    var runs: [Run] = []
    for entry in entries {
      if let last = runs.last, entry.cursors == 0, last.weight <= entry.weight {
        runs[runs.count - 1].sets.append(entry.changes)
        runs[runs.count - 1].weight += entry.weight
      } else {
        runs.append(Run(number: entry.number, sets: [entry.changes], weight: entry.weight))
      }
    }
    runs.removeAll { $0.sets.count == 1 }
    // Until these runs are put back, the log is never long.
    composeAt = runs.isEmpty ? entries.count + runLimit : .max
    return runs
  }

  /// Puts composed runs in place of their sets, and returns the runs that came meanwhile.
  mutating func exchange(_ composed: [Run]) -> [Run] {
    putBack(composed)
    return takeRuns()
  }

  /// Puts composed runs in place of their sets, and drops runs that were read meanwhile.
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
