import StrataTestTurns
import Testing

@testable import Strata

/// Contradictions in schemas, which are found and named when the model is made.
@Suite(.inTurn) struct SchemaErrorTests {
  private struct Artist: Entity {
    var id: Int64 = 0
    var name = ""
    static let schema = Schema<Artist>("artists", key: \.id) { Attribute(\.name) }
  }

  private struct OtherArtist: Entity {
    var id: Int64 = 0
    static let schema = Schema<OtherArtist>("ARTISTS", key: \.id) {}
  }

  private struct Unnamed: Entity {
    var id: Int64 = 0
    static let schema = Schema<Unnamed>("", key: \.id) {}
  }

  private struct WithNUL: Entity {
    var id: Int64 = 0
    static let schema = Schema<WithNUL>("a\0b", key: \.id) {}
  }

  private struct Reserved: Entity {
    var id: Int64 = 0
    static let schema = Schema<Reserved>("sqlite_things", key: \.id) {}
  }

  private struct AlsoReserved: Entity {
    var id: Int64 = 0
    static let schema = Schema<AlsoReserved>("Strata_commit", key: \.id) {}
  }

  private struct TwiceNamed: Entity {
    var id: Int64 = 0
    var title = ""
    var name = ""
    static let schema = Schema<TwiceNamed>("twice", key: \.id) {
      Attribute(\.title)
      Attribute(\.name, "TITLE")
    }
  }

  private struct NamedLikeKey: Entity {
    var id: Int64 = 0
    var title = ""
    static let schema = Schema<NamedLikeKey>("keys", key: \.id) { Attribute(\.title, "id") }
  }

  private struct TwiceStored: Entity {
    var id: Int64 = 0
    var title = ""
    static let schema = Schema<TwiceStored>("stored", key: \.id) {
      Attribute(\.title)
      Attribute(\.title, "again")
    }
  }

  private struct EmptyName: Entity {
    var id: Int64 = 0
    var title = ""
    static let schema = Schema<EmptyName>("empty", key: \.id) { Attribute(\.title, "") }
  }

  private struct OptionalKey: Entity {
    var id: Int64?
    static let schema = Schema<OptionalKey>("optional", key: \.id) {}
  }

  private struct Song: Entity {
    var id: Int64 = 0
    var artistID: Artist.ID?
    static let schema = Schema<Song>("songs", key: \.id) { toOne(\.artistID, Artist.self) }
  }

  /// An entity whose to-many relationship points at an attribute that is no reference.
  private struct Label: Entity {
    var id: Int64 = 0
    static let schema = Schema<Label>("labels", key: \.id) { toMany(\Record.labelID) }
  }

  private struct Record: Entity {
    var id: Int64 = 0
    var labelID: Int64 = 0
    static let schema = Schema<Record>("records", key: \.id) { Attribute(\.labelID) }
  }

  /// An entity whose to-many relationship points at a reference to another entity.
  private struct Club: Entity {
    var id: Int64 = 0
    static let schema = Schema<Club>("clubs", key: \.id) { toMany(\Song.artistID) }
  }

  private struct WrongUnique: Entity {
    var id: Int64 = 0
    var title = ""
    var hidden = ""
    static let schema = Schema<WrongUnique>("wrong", key: \.id) {
      Attribute(\.title)
      Unique(\.title, \.hidden)
    }
  }

  @Test(
    arguments: [
      ([Artist.self, Artist.self], "Artist", nil, "given twice"),
      ([Artist.self, OtherArtist.self], "OtherArtist", nil, "\"ARTISTS\" belongs to two"),
      ([Unnamed.self], "Unnamed", nil, "the table of Unnamed needs a name"),
      ([WithNUL.self], "WithNUL", nil, "without a NUL"),
      ([Reserved.self], "Reserved", nil, "\"sqlite_things\" is reserved"),
      ([AlsoReserved.self], "AlsoReserved", nil, "\"Strata_commit\" is reserved"),
      ([TwiceNamed.self], "TwiceNamed", "TITLE", "TwiceNamed.TITLE is there twice"),
      ([NamedLikeKey.self], "NamedLikeKey", "id", "NamedLikeKey.id is there twice"),
      ([TwiceStored.self], "TwiceStored", "again", "TwiceStored.again is stored twice"),
      ([EmptyName.self], "EmptyName", nil, "an attribute of EmptyName needs a name"),
      ([OptionalKey.self], "OptionalKey", nil, "the key of OptionalKey cannot be optional"),
      ([Song.self], "Song", "artistID", "Song.artistID refers to Artist, which is not"),
      ([Label.self, Record.self], "Label", nil, "needs a to-one of Record that refers back"),
      ([Label.self], "Label", nil, "Label has many Record, which is not in this stack"),
      (
        [Club.self, Song.self, Artist.self], "Club", nil, "needs a to-one of Song that refers back"
      ),
      ([WrongUnique.self], "WrongUnique", nil, "Unique names something that is no attribute"),
    ] as [([any Entity.Type], String, String?, String)])
  func `a contradiction names entity and attribute`(
    types: [any Entity.Type], entity: String, attribute: String?, message: String
  ) {
    let error = #expect(throws: StoreError.self) { _ = try Model(types) }
    #expect(error?.code == .invalidSchema)
    #expect(error?.entity == entity)
    #expect(error?.attributes == (attribute.map { [$0] } ?? []))
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test func `opening a stack reports the same, and creates no file`() async throws {
    let error = await #expect(throws: StoreError.self) { _ = try await Stack.temporary(Song.self) }
    #expect(error?.code == .invalidSchema && error?.entity == "Song")
  }

  @Test func `a to-one and its to-many fit together`() throws {
    let model = try Model([Song.self, Artist.self])
    #expect(model.hasReferences)
    #expect(model.table(of: Artist.self).referrers.map(\.table) == [model.table(of: Song.self).id])
    #expect(model.table(of: Song.self).columns[1].isIndexed)
  }

  @Test func `a description tells tables apart, not the order in which they are listed`() throws {
    let one = try Model([Song.self, Artist.self]).description(version: 1)
    #expect(try Model([Artist.self, Song.self]).description(version: 1) == one)
    #expect(try Model([Artist.self]).description(version: 1) != one)
  }
}
