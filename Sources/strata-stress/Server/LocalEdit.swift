import Strata

/// The user's edit of a note that the server has not acknowledged.
enum LocalEdit: Equatable {
  /// The edited values; nil for an attribute without an edit.
  case written(title: String?, text: String?)
  case deleted

  /// Returns this edit with a later one.
  func followed(by later: LocalEdit) -> LocalEdit {
    guard case .written(let title, let text) = self,
      case .written(let newTitle, let newText) = later
    else { return later }
    return .written(title: newTitle ?? title, text: newText ?? text)
  }

  /// Returns whether a note has the edited values.
  func isContained(in note: UnreliableServer.Note?) -> Bool {
    switch self {
    case .deleted: note == nil
    case .written(let title, let text):
      note.map { $0.title == title ?? $0.title && $0.text == text ?? $0.text } ?? false
    }
  }

  /// Returns whether a request sends the edit, without the values that the server has told already.
  func isSent(by request: PushRequest) -> Bool {
    guard request.kind != .delete else { return self == .deleted }
    guard case .written(let title, let text) = self else { return false }
    let (names, note) = (request.attributes, request.value(as: SharedNote.self)?.shared)
    let server = request.server(as: SharedNote.self)?.shared
    return isContained(in: note)
      && (title == nil || names.contains("title") || title == server?.title)
      && (text == nil || names.contains("text") || text == server?.text)
  }
}
