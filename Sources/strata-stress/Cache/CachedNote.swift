import Foundation
import Strata
import StrataImport

/// A note of a server that gives keys and versions, and whose numbers are unique.
struct CachedNote: Entity, Equatable {
  /// The server's key; negative while the server has given none.
  var id = 0
  /// The key that the maker of the note has given, which the server keeps.
  var localID: UUID?
  var title = ""
  var text = ""
  var number: Int?
  var replyTo: Int?
  var version = 0

  static let tags = manyToMany(CachedTag.self)
  static let schema = Schema<CachedNote>("cachedNotes", key: \.id) {
    Attribute(\.localID).unique()
    Attribute(\.title)
    Attribute(\.text)
    Attribute(\.number).unique()
    toOne(\.replyTo, CachedNote.self, onDelete: .nullify)
    Attribute(\.version)
    tags
    Validation("a note with the number 6 replies to no note") { $0.mayHaveNumber }
  }
  /// Whether the note keeps a rule over two attributes, which the server has, too.
  var mayHaveNumber: Bool { number != 6 || replyTo == nil }

  static let json = JSONMapping<CachedNote> {
    Field(\.id, "id")
    Field(\.localID, "local_id")
    Field(\.title, "title")
    Field(\.text, "text")
    Field(\.number, "number")
    Field(\.replyTo, "reply_to")
    Field(\.version, "version")
    NestedKeys(tags, "tags")
  }.matching(\.localID)

  /// Returns the attributes that a user edits, by their names.
  var values: [String: String] {
    [
      "title": title, "text": text, "number": number.map { "\($0)" } ?? "",
      "replyTo": replyTo.map { "\($0)" } ?? "",
    ]
  }

  /// Returns the record that a server sends.
  ///
  /// - Parameters:
  ///   - isWhole: whether the record has every member. If not, it has no version either, because a version
  ///     stands for all of them.
  ///   - tags: the keys of the note's tags; nil for a record that does not name them.
  func record(isWhole: Bool = true, tags: Set<Int>? = nil) -> String {
    let rest = isWhole ? #","text":"\#(text)","version":\#(version)"# : ""
    let tags = tags.map { #","tags":\#($0.sorted())"# } ?? ""
    let number = number.map { "\($0)" } ?? "null"
    let reply = replyTo.map { "\($0)" } ?? "null"
    return #"{"id":\#(id),"local_id":"\#(localID?.uuidString ?? "")","title":"\#(title)","#
      + #""number":\#(number),"reply_to":\#(reply)\#(rest)\#(tags)}"#
  }
}

/// A tag of notes. Only the server makes tags, and its notes name them also while it does not show them.
struct CachedTag: Entity {
  var id = 0

  static let schema = Schema<CachedTag>("cachedTags", key: \.id) {}
  static let json = JSONMapping<CachedTag> { Field(\.id, "id") }
}

/// A comment on a note. Only the server makes comments, and they go with their note.
struct CachedComment: Entity, Equatable {
  var id = 0
  var noteID = 0

  static let schema = Schema<CachedComment>("cachedComments", key: \.id) {
    toOne(\.noteID, CachedNote.self, onDelete: .cascade)
  }
  static let json = JSONMapping<CachedComment> {
    Field(\.id, "id")
    Field(\.noteID, "note")
  }
}
