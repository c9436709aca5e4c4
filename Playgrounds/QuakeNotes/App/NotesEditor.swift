import Foundation
import Observation
import Strata

/// The edits of a sheet, in a context of its own.
@Observable final class NotesEditor: Identifiable {
  private let view: ViewContext
  private let child: ScratchContext
  private let quake: Quake
  private(set) var notes: [Note]
  /// The rules of the schema that the edits break.
  private(set) var problems: [ValidationFailure] = []

  init(_ notes: [Note], of quake: Quake, in view: ViewContext) {
    self.view = view
    child = view.makeScratch()
    self.quake = quake
    self.notes = notes
  }

  func add() {
    let note = Note(quakeID: quake.id)
    child.insert(note)
    notes.append(note)
    problems = child.validate()
  }

  func change(_ note: Note, to text: String) {
    guard let index = notes.firstIndex(where: { $0.id == note.id }) else { return }
    notes[index] = child.update(notes[index]) { $0.text = text }
    problems = child.validate()
  }

  func delete(at offsets: IndexSet) {
    for offset in offsets.reversed() { child.delete(notes.remove(at: offset)) }
    problems = child.validate()
  }

  func done() async throws {
    try await child.save()  // into the view context, as one undo group
    try await view.save()  // into the store
  }
}
