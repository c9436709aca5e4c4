import LiveMapServer
import Strata

/// The notes that the pages of a host have written, and those of them that another host has replaced.
///
/// The history of the store has the author and the values of each commit. A page is the author of its
/// own edits. If a commit of the replica changes a note that a page wrote last, the note is replaced.
@MainActor final class OwnNotes {
  /// A note of a page of this host.
  struct Note {
    /// The sighting with the note.
    var sighting: Sighting
    /// The sighting after another host has replaced the note; nil as long as it stands.
    var replacement: Sighting?
    /// The note of another host that this note has replaced; nil without a conflict.
    var replaced: String?
    /// Whether the server has the note.
    var isConfirmed = false
  }

  /// The notes in the order in which they were written.
  private(set) var all: [Note] = []
  private let stack: Stack
  private var token: HistoryToken

  init(_ stack: Stack) {
    self.stack = stack
    token = stack.historyToken
  }

  subscript(id: String) -> Note? { all.last { $0.sighting.id == id } }

  /// Follows the history until the stack is closed.
  ///
  /// - Parameter body: called after each commit in which a page wrote a note.
  func follow(_ body: @MainActor () -> Void) async throws {
    for await _ in stack.changes {
      for try await entry in stack.history(since: token) {
        token = entry.token
        if note(entry) { body() }
      }
    }
  }

  /// Notes that the server has these notes, unless a page has written another one since.
  func confirm(_ notes: [Note]) {
    for note in notes {
      change(note.sighting.id) {
        if $0.sighting.note == note.sighting.note { $0.isConfirmed = true }
      }
    }
  }

  /// Notes that a note of this host has replaced a note of another one.
  func win(_ id: String, over note: String) { change(id) { $0.replaced = note } }

  /// Forgets a note that the person has given up.
  func forget(_ id: String) { all.removeAll { $0.sighting.id == id } }

  /// Returns whether a page has written a note in a commit.
  private func note(_ entry: HistoryEntry) -> Bool {
    var isOwn = false
    for update in entry.changes.changes(of: Sighting.self).updated
    where update.attributes.contains("note") {
      if MapHost.authors.contains(entry.author) {
        isOwn = true
        all.removeAll { $0.sighting.id == update.after.id }
        all.append(Note(sighting: update.after))
      } else {
        change(update.after.id) { note in
          let stands = note.sighting.note == update.after.note
          note.replacement = stands ? nil : update.after
        }
      }
    }
    return isOwn
  }

  private func change(_ id: String, _ body: (inout Note) -> Void) {
    if let index = all.firstIndex(where: { $0.sighting.id == id }) { body(&all[index]) }
  }
}
