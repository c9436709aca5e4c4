import Strata

/// The deletions that were sent and that the outbox may not know to be done.
///
/// Such a deletion is sent once more before the note is inserted again.
struct OpenDeletions {
  /// The notes, and whether the outbox certainly has no verdict.
  private var notes: [Int: Bool] = [:]
  /// The notes whose deletions this push has sent.
  private var sent: Set<Int> = []

  /// Returns whether a request is such a deletion of a note that the user has made again.
  func isRepeated(_ request: PushRequest, _ id: Int, _ edit: LocalEdit?) -> Bool {
    request.kind == .delete && edit != nil && edit != .deleted && notes[id] != nil
  }

  /// Returns whether a request may be sent now.
  func allows(_ request: PushRequest, _ id: Int) -> Bool {
    request.kind != .insert || notes[id] != true
  }

  mutating func beginPush() { sent = [] }

  /// Notes a deletion that is sent, and returns the knowledge of the note before.
  mutating func send(_ id: Int) -> Bool? {
    defer { notes[id] = true }
    sent.insert(id)
    return notes[id]
  }

  /// Notes the verdict on a deletion.
  ///
  /// - Parameter known: what was known of the note before the deletion was sent.
  mutating func note(_ id: Int, _ verdict: PushVerdict, known: Bool?) {
    notes[id] = verdict == .later ? known : nil
  }

  /// Notes that the deletions of a push may have been sent, and that their verdicts may be stored.
  mutating func doubt(_ edits: [Int: LocalEdit]) {
    let deleted = edits.filter { $0.value == .deleted }
    for id in sent.union(deleted.keys).union(notes.keys) { notes[id] = false }
  }
}
