import Foundation
import GRDB

/// A song as GRDB stores it in the table that Strata makes.
protocol GRDBRecord: FetchableRecord, PersistableRecord, Sendable {
  /// The name of the peer's column in the report.
  static var peerName: String { get }

  init(_ song: Song)
  var song: Song { get }
  var bpm: Double { get set }
}

extension GRDBRecord {
  /// Returns the request for a page of W4 and W8.
  static func page(from start: String) -> QueryInterfaceRequest<Self> {
    filter(Column("hidden") == false && Column("title") >= start)
      .order(Column("title"), Column("id")).limit(50)
  }
}

/// A song in GRDB's fastest idiom: columns by position, and an encoder written by hand.
struct GRDBSong: GRDBRecord {
  static let peerName = "grdb"
  static let databaseTableName = "songs"
  static var databaseSelection: [any SQLSelectable] {
    [
      Column("id"), Column("title"), Column("subtitle"), Column("artistID"), Column("ccli"),
      Column("bpm"), Column("key"), Column("themes"), Column("createdAt"), Column("updatedAt"),
      Column("hidden"),
    ]
  }

  var song: Song
  var bpm: Double {
    get { song.bpm }
    set { song.bpm = newValue }
  }

  init(_ song: Song) { self.song = song }

  init(row: Row) {
    song = Song(
      id: row[0], title: row[1], subtitle: row[2], artistID: row[3], ccli: row[4], bpm: row[5],
      key: row[6], themes: row[7], createdAt: Date(timeIntervalSinceReferenceDate: row[8]),
      updatedAt: Date(timeIntervalSinceReferenceDate: row[9]), hidden: row[10])
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = song.id
    container["title"] = song.title
    container["subtitle"] = song.subtitle
    container["artistID"] = song.artistID
    container["ccli"] = song.ccli
    container["bpm"] = song.bpm
    container["key"] = song.key
    container["themes"] = song.themes
    container["createdAt"] = song.createdAt.timeIntervalSinceReferenceDate
    container["updatedAt"] = song.updatedAt.timeIntervalSinceReferenceDate
    container["hidden"] = song.hidden
  }
}

/// A song in GRDB's usual idiom: `Codable` derives the coding.
struct GRDBCodableSong: GRDBRecord, Codable {
  static let peerName = "grdbCodable"
  static let databaseTableName = "songs"

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  var id: Int
  var title: String
  var subtitle: String?
  var artistID: Int?
  var ccli: Int?
  var bpm: Double
  var key: String
  var themes: String
  var createdAt: Date
  var updatedAt: Date
  var hidden: Bool

  init(_ song: Song) {
    id = song.id
    title = song.title
    subtitle = song.subtitle
    artistID = song.artistID
    ccli = song.ccli
    bpm = song.bpm
    key = song.key
    themes = song.themes
    createdAt = song.createdAt
    updatedAt = song.updatedAt
    hidden = song.hidden
  }

  var song: Song {
    Song(
      id: id, title: title, subtitle: subtitle, artistID: artistID, ccli: ccli, bpm: bpm, key: key,
      themes: themes, createdAt: createdAt, updatedAt: updatedAt, hidden: hidden)
  }
}
