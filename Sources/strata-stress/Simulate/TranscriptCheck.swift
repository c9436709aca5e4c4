import Strata

/// Replays the writes of a transcript on plain rows in the order of their commits, and compares
/// every note with them.
struct TranscriptCheck {
  private let transcript: Transcript
  private let first: Int64
  /// The rows after each commit from `first` on.
  private var states: [PlainRows] = [PlainRows()]
  /// The commits of the view context's saves.
  private var commits: [Int: Int64] = [:]
  /// The writes without a reply that are not known to be commits.
  private var failed: [Transcript.WriteNote]

  /// The picks where several writes explain a commit: the commit, the picked write, and their number.
  private var picks: [(commit: Int64, index: Int, count: Int)] = []

  /// Rows that a loss of power left, and the commit that must not be lost.
  typealias Remains = (rows: PlainRows, earliest: Int64)

  /// Returns a replay that agrees with every note, with the rows in the file, and with those that losses
  /// of power left.
  ///
  /// A write that changed nothing has the number of another write's commit. So several writes may
  /// explain a commit, and the notes decide which of them made it.
  ///
  /// - Parameters:
  ///   - first: the commit of the empty store.
  ///   - stored: the rows in the file.
  ///   - remains: the rows that losses of power left.
  /// - Throws: the contradiction of the first replay.
  static func replay(
    _ transcript: Transcript, first: Int64, stored: PlainRows, remains: [Remains]
  ) throws(Contradiction) -> Self {
    var check = Self(transcript, first: first)
    var failure: Contradiction?
    for _ in 0..<Self.tries {
      do throws(Contradiction) {
        try check.run(stored: stored)
        for left in remains { try check.check(left) }
        return check
      } catch {
        failure = failure ?? error
        guard let next = check.next else { break }
        check = next
      }
    }
    throw failure ?? Contradiction(description: "no replay was tried")
  }

  /// The maximum number of replays.
  private static let tries = 200

  private init(_ transcript: Transcript, first: Int64) {
    self.transcript = transcript
    self.first = first
    failed = transcript.writes.filter { $0.end == .failed }
  }

  /// A check with the next pick, which has not run yet; nil after the last one.
  private var next: Self? {
    guard let last = picks.lastIndex(where: { $0.index + 1 < $0.count }) else { return nil }
    var next = Self(transcript, first: first)
    next.picks = Array(picks[...last])
    next.picks[last].index += 1
    return next
  }

  var newest: Int64 { first + Int64(states.count) - 1 }
  var rows: PlainRows { states[states.count - 1] }

  /// Returns the states from a commit on.
  private func states(
    from earliest: Int64
  ) throws(Contradiction) -> ArraySlice<PlainRows> {
    try Contradiction.unless(
      earliest <= newest, "commit \(earliest) was reported, and \(newest) is the newest")
    return states[Int(max(earliest, first) - first)...]
  }

  private func check(_ left: Remains) throws(Contradiction) {
    try Contradiction.unless(
      states(from: left.earliest).contains(left.rows),
      "a loss of power left \(left.rows), which no commit from \(left.earliest) to \(newest) has")
  }

  private subscript(commit: Int64) -> PlainRows? {
    commit < first || commit > newest ? nil : states[Int(commit - first)]
  }

  private mutating func run(stored: PlainRows) throws(Contradiction) {
    try replay()
    // A write without a reply may be the last commit.
    let last = failed.lazy.compactMap { [self] in outcome(of: $0.write).rows }.first {
      $0 == stored
    }
    if stored != rows, let last { states.append(last) }
    try Contradiction.unless(stored == rows, "the file has \(stored), not \(rows)")
    for note in transcript.reads { try check(note) }
    for note in transcript.screens { try check(note) }
    for note in transcript.copies {
      try Contradiction.unless(
        note.books == self[note.commit]?.rows(.books),
        "a copy at commit \(note.commit) has \(note.books), "
          + "not \(self[note.commit]?.rows(.books) ?? [:])")
    }
  }

  // MARK: - Writes

  private mutating func replay() throws(Contradiction) {
    var byCommit: [Int64: [Transcript.WriteNote]] = [:]
    for note in transcript.writes {
      guard case .commit(let commit) = note.end else { continue }
      try Contradiction.unless(
        commit >= note.earliest,
        "\(note.author) had seen commit \(note.earliest), and saved as \(commit)")
      byCommit[commit, default: []].append(note)
    }
    let last = max(first, byCommit.keys.max() ?? first)
    try checkUnchanged(byCommit[first] ?? [])
    for commit in stride(from: first + 1, through: last, by: 1) {
      let claims = byCommit[commit] ?? []
      let notes = claims + failed.filter { $0.earliest < commit }
      try Contradiction.unless(!notes.isEmpty, "no write made commit \(commit)")
      // Writes that changed nothing have the number of the newest commit, too.
      let possible = notes.indices.filter { index in
        guard let next = outcome(of: notes[index].write).rows, next != rows else { return false }
        return claims.indices.allSatisfy {
          $0 == index || Self.outcome(of: notes[$0].write, over: next) == .saved(next)
        }
      }
      let made = pick(commit, possible)
      guard let made, let next = outcome(of: notes[made].write).rows else {
        throw Contradiction(
          description: "commit \(commit) over \(rows) cannot be of "
            + notes.map { "\($0.author): \($0.write)" }.joined(separator: " or of "))
      }
      states.append(next)
      if let save = notes[made].save { commits[save] = commit }
      if made >= claims.count { remove(notes[made]) }
    }
    for note in transcript.writes {
      guard case .refused(let code) = note.end else { continue }
      let isPossible = try states(from: note.earliest).contains {
        Self.outcome(of: note.write, over: $0).code == code
      }
      try Contradiction.unless(
        isPossible || code == .cancelled && note.mayBeCancelled,
        "\(note.author) was refused: \(code), for \(note.write)")
    }
  }

  /// Returns the picked write of a commit; nil if no write is possible.
  private mutating func pick(_ commit: Int64, _ possible: [Int]) -> Int? {
    if possible.count < 2 { return possible.first }
    if let known = picks.first(where: { $0.commit == commit }) { return possible[known.index] }
    picks.append((commit, 0, possible.count))
    return possible[0]
  }

  /// Removes a write that turned out to be a commit.
  private mutating func remove(_ note: Transcript.WriteNote) {
    let index = failed.firstIndex {
      $0.author == note.author && $0.earliest == note.earliest
    }
    if let index { failed.remove(at: index) }
  }

  private func checkUnchanged(_ notes: [Transcript.WriteNote]) throws(Contradiction) {
    for note in notes {
      try Contradiction.unless(
        outcome(of: note.write) == .saved(rows), "\(note.author) made no commit of \(note.write)")
    }
  }

  private func outcome(of write: Transcript.Write) -> PlainRows.Outcome {
    Self.outcome(of: write, over: rows)
  }

  private static func outcome(
    of write: Transcript.Write, over rows: PlainRows
  ) -> PlainRows.Outcome {
    switch write {
    case .save(let layer, let policy): return rows.saving(layer, policy)
    case .importOfBooks(let values):
      var rows = rows
      for (key, first) in values {
        var row = rows[.books, key] ?? [0, 0, nil, nil]
        row[0] = first
        rows[.books, key] = row
      }
      return .saved(rows)
    }
  }

  // MARK: - Reads

  private func check(_ note: Transcript.ReadNote) throws(Contradiction) {
    let isPossible = try states(from: note.earliest).contains { state in
      note.rows.allSatisfy { row in
        row.found == row.edits.reduce(state[row.table, row.key]) { $1.over($0) }
      }
    }
    try Contradiction.unless(
      isPossible,
      "\(note.reader) read no commit from \(note.earliest) to \(newest): "
        + note.rows.map {
          "\($0.table) \($0.key) \(PlainEdit.words($0.found)) under "
            + "\($0.edits)"
        }.joined(separator: ", "))
  }

  private func check(_ note: Transcript.ScreenNote) throws(Contradiction) {
    guard let state = self[note.commit] else {
      throw Contradiction(description: "a view context showed commit \(note.commit) of \(newest)")
    }
    if let listed = note.conflicts {
      let expected = Set(state.conflicts(with: note.layers[0][0]))
      // The view context may know some rows as of later commits. A conflict must be listed if all
      // these commits have it.
      let isExplained =
        if note.knowsLater {
          (note.commit...newest).reduce(into: expected) { names, commit in
            names.formIntersection(self[commit]?.conflicts(with: note.layers[0][0]) ?? [])
          }.isSubset(of: listed)
        } else {
          expected == Set(listed)
        }
      try Contradiction.unless(
        isExplained,
        "the conflicts are \(listed), not \(expected.sorted()), at commit \(note.commit)")
    }
    if let commit = note.saving.flatMap({ commits[$0] }) {
      try Contradiction.unless(
        note.commit < commit, "a screen shows commit \(commit) before the end of its save")
    }
    var differences: [String] = []
    for layers in note.layers {
      guard
        let difference = note.contents.difference(
          from: state.under(layers), isAtRest: note.isAtRest,
          isEdited: !layers.allSatisfy(\.isEmpty))
      else { return }
      differences.append(difference)
    }
    throw Contradiction(
      description: "at commit \(note.commit) under \(note.layers): "
        + differences.joined(separator: "; or "))
  }
}
