import Foundation
import SwiftUI

struct NotesForm: View {
  let editor: NotesEditor
  @Environment(\.dismiss) private var dismiss
  @State private var failure: Failure?

  var body: some View {
    NavigationStack {
      Form {
        ForEach(editor.notes) { note in
          TextField("Note", text: text(of: note), axis: .vertical)
        }
        .onDelete { editor.delete(at: $0) }
        Button("Add a note") { editor.add() }
      }
      .navigationTitle("Notes")
      .toolbar {
        ToolbarItem(placement: .cancellationAction) {
          Button("Cancel") { dismiss() }
        }
        ToolbarItem(placement: .confirmationAction) {
          Button("Done") { Task { await done() } }.disabled(!editor.problems.isEmpty)
        }
      }
      .alert($failure)
    }
  }

  private func text(of note: Note) -> Binding<String> {
    Binding {
      note.text
    } set: {
      editor.change(note, to: $0)
    }
  }

  private func done() async {
    do {
      try await editor.done()
      dismiss()
    } catch {
      failure = Failure("Not saved", error)
    }
  }
}
