import Foundation
import Strata
import StrataImport

/// A choice of the attributes of an imported song that have an index.
protocol SongIndexes: Sendable {
  static var titles: Bool { get }
  static var artists: Bool { get }
}

enum NoIndex: SongIndexes {
  static let titles = false
  static let artists = false
}

/// The indexes of ``Song``.
enum TitleIndex: SongIndexes {
  static let titles = true
  static let artists = false
}

enum TwoIndexes: SongIndexes {
  static let titles = true
  static let artists = true
}

/// ``Song`` with a choice of indexes, in the same table.
struct ImportedSong<Indexes: SongIndexes>: Entity {
  var id = 0
  var title = ""
  var subtitle: String?
  var artistID: Int?
  var ccli: Int?
  var bpm = 0.0
  var key = ""
  var themes = ""
  var createdAt = Date(timeIntervalSinceReferenceDate: 0)
  var updatedAt = Date(timeIntervalSinceReferenceDate: 0)
  var hidden = false

  static var schema: Schema<Self> {
    Schema("songs", key: \.id) {
      Indexes.titles ? Attribute(\.title).indexed() : Attribute(\.title)
      Attribute(\.subtitle)
      Indexes.artists ? Attribute(\.artistID).indexed() : Attribute(\.artistID)
      Attribute(\.ccli)
      Attribute(\.bpm)
      Attribute(\.key)
      Attribute(\.themes)
      Attribute(\.createdAt)
      Attribute(\.updatedAt)
      Attribute(\.hidden)
    }
  }

  private static var mapping: JSONMapping<Self> {
    JSONMapping {
      Field(\.id, "id")
      Field(\.title, "title")
      Field(\.subtitle, "subtitle")
      Field(\.artistID, "artistID")
      Field(\.ccli, "ccli")
      Field(\.bpm, "bpm")
      Field(\.key, "key")
      Field(\.themes, "themes")
      Field(\.createdAt, "createdAt", .epochSeconds)
      Field(\.updatedAt, "updatedAt", .epochSeconds)
      Field(\.hidden, "hidden")
    }
  }

  /// Imports a file of songs off the main actor. Returns when all songs are committed and shown.
  @discardableResult
  static func importSongs(_ file: URL, into stack: Stack) async throws -> ImportResult {
    try await stack.importJSON(Self.self, from: .file(file), mapping: mapping)
  }
}
