import Strata
import StrataImport

/// A note that both the app and the server edit.
struct SharedNote: Entity, Equatable {
  var id = 0
  var title = ""
  var text = ""
  /// The user's own mark. The server does not have it.
  var isRead = false
  /// The folder in which the user put the note. The server has it, and its feed does not.
  var folderID: Int?

  static let schema = Schema<SharedNote>("sharedNotes", key: \.id) {
    Attribute(\.title)
    Attribute(\.text)
    Attribute(\.isRead)
    toOne(\.folderID, Folder.self, onDelete: .nullify)
  }
  static let json = JSONMapping<SharedNote> {
    Field(\.id, "id")
    Field(\.title, "title")
    Field(\.text, "text")
  }

  /// The part of the note that the server has.
  var shared: UnreliableServer.Note { UnreliableServer.Note(title: title, text: text) }
}
