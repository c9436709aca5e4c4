import Strata
import StrataSwiftUI
import SwiftUI

/// An earthquake and its notes.
struct QuakeDetail: View {
  @Environment(ViewContext.self) private var view
  @LiveFetch private var quakes: LiveElements<Quake>
  @LiveFetch private var notes: LiveElements<Note>
  @State private var editor: NotesEditor?

  init(id: Quake.ID) {
    _quakes = LiveFetch(Quake.where { $0.id == id })
    _notes = LiveFetch(Quake.notes(of: id))
  }

  var body: some View {
    List {
      if let quake = quakes.first {
        QuakeRow(quake: quake, notes: notes.count)
        Section("Notes") {
          ForEach(notes) { Text($0.text) }
          Button("Edit") { editor = NotesEditor(Array(notes), of: quake, in: view) }
        }
      } else if $quakes.isLoaded {
        Text("The server no longer has this earthquake.")
      }
    }
    .toolbar { EditButtons() }
    .sheet(item: $editor) { NotesForm(editor: $0) }
  }
}
