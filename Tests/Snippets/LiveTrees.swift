// The declarations that the snippets in the article LiveTrees use.

private struct Dialog: Entity {
  var id = Key<Dialog>()
  var title = ""

  static let letters = toMany(\Letter.dialogID)
  static let members = manyToMany(Member.self)
  static let schema = Schema<Dialog>("dialogs", key: \.id) {
    Attribute(\.title)
    letters
    members
  }

  static let newest = letters.narrowed { $0.sorted(by: \.sent, order: .reverse).limit(1) }
  static let unread = letters.narrowed { $0.where { !$0.isRead } }
}

private struct Letter: Entity {
  var id = Key<Letter>()
  var dialogID: Dialog.ID?
  var text = ""
  var sent = Date.now
  var isRead = false

  static let dialog = toOne(\.dialogID, Dialog.self, onDelete: .cascade)
  static let schema = Schema<Letter>("letters", key: \.id) {
    dialog
    Attribute(\.text)
    Attribute(\.sent)
    Attribute(\.isRead)
    Index(\.dialogID, \.sent)
  }
}

private struct Member: Entity {
  var id = Key<Member>()
  var name = ""

  static let schema = Schema<Member>("members", key: \.id) { Attribute(\.name) }
}
