import StrataTestTurns
import Testing

@testable import Strata

private enum V1 {
  struct Note: Entity {
    var id = 0
    static let schema = Schema<Note>("notes", key: \.id) {}
  }
  struct Tag: Entity {
    var id = 0
    static let schema = Schema<Tag>("tags", key: \.id) {}
  }
}

private enum V2 {
  struct Note: Entity {
    var id = 0
    static let tags = manyToMany(Tag.self)
    static let schema = Schema<Note>("notes", key: \.id) { tags }
  }
  typealias Tag = V1.Tag
}

/// Both entities and their relationship have new names.
private enum V3 {
  struct Memo: Entity {
    var id = 0
    static let labels = manyToMany(Label.self)
    static let schema = Schema<Memo>("memos", formerly: ["notes"], key: \.id) { labels }
  }
  struct Label: Entity {
    var id = 0
    static let schema = Schema<Label>("labels", formerly: ["tags"], key: \.id) {}
  }
}

private enum V4 {
  struct Memo: Entity {
    var id = 0
    static let topics = manyToMany(Label.self, "topics", formerly: ["labels"])
    static let schema = Schema<Memo>("memos", key: \.id) { topics }
  }
  typealias Label = V3.Label
}

/// An attribute becomes a reference, which then gets a different target.
private enum Required {
  struct Artist: Entity {
    var id = 0
    static let schema = Schema<Artist>("artists", key: \.id) {}
  }
  struct Band: Entity {
    var id = 0
    static let schema = Schema<Band>("bands", key: \.id) {}
  }
  struct Plain: Entity {
    var id = 0
    var artistID = 0
    static let schema = Schema<Plain>("songs", key: \.id) { Attribute(\.artistID).indexed() }
  }
  struct OfArtist: Entity {
    var id = 0
    var artistID = 0
    static let schema = Schema<OfArtist>("songs", key: \.id) {
      toOne(\.artistID, Artist.self, onDelete: .deny)
    }
  }
  struct OfBand: Entity {
    var id = 0
    var artistID = 0
    static let schema = Schema<OfBand>("songs", key: \.id) {
      toOne(\.artistID, Band.self, onDelete: .deny)
    }
  }
}

@Suite(.inTurn) struct RelationshipMigrationTests {
  @Test func `a relationship comes to a store, and is renamed with its entities`() async throws {
    let file = try StoreFile()
    try await file.open(V1.Note.self, V1.Tag.self, version: 1) { stack in
      try await stack.withScratch { scratch in
        scratch.insert(V1.Note(id: 1))
        for id in 1...3 { scratch.insert(V1.Tag(id: id)) }
      }
    }
    try await file.open(V2.Note.self, V2.Tag.self, version: 2) { stack in
      #expect(try await stack.fetch(V2.Note.tags(of: 1)).isEmpty)
      try await stack.withScratch { scratch in
        scratch.link(1, to: 1, in: V2.Note.tags)
        scratch.link(1, to: 3, in: V2.Note.tags)
      }
    }
    try await file.open(V3.Memo.self, V3.Label.self, version: 3) { stack in
      #expect(try await stack.fetch(V3.Memo.labels(of: 1)).map(\.id) == [1, 3])
      // The delete rules know the join table by its new name.
      try await stack.withScratch { $0.delete(V3.Label(id: 1)) }
      #expect(try await stack.fetch(V3.Memo.labels(of: 1)).map(\.id) == [3])
      try await stack.withScratch { $0.link(1, to: 3, in: V3.Memo.labels) }
    }
    try await file.open(V4.Memo.self, V4.Label.self, version: 4) { stack in
      let topics = try await stack.fetch(V4.Memo.topics(of: 1))
      #expect(topics.map(\.id) == [3])
    }
  }
  /// No table changes, but the rows must be checked. Otherwise they would go on referring to
  /// nothing.
  @Test func `a reference that becomes required is checked, and so is one with another target`()
    async throws
  {
    let file = try StoreFile()
    try await file.open(Required.Plain.self, Required.Artist.self, Required.Band.self) { stack in
      try await stack.withScratch {
        $0.insert(Required.Artist(id: 1))
        $0.insert(Required.Plain(id: 7, artistID: 9))
      }
    }
    let ofNobody = await file.migrate(
      Required.OfArtist.self, Required.Artist.self, Required.Band.self
    ).error
    #expect(ofNobody?.code == .missingReference && ofNobody?.attributes == ["artistID"])
    try file.execute("UPDATE songs SET artistID = 1")
    for actions: [MigrationPlan.Action] in [
      [.checkReferences("artistID", table: "songs"), .record(version: 1)], [],
    ] {
      let migrated = await file.migrate(
        Required.OfArtist.self, Required.Artist.self, Required.Band.self)
      #expect(migrated.actions == actions)
    }
    let ofNoBand = await file.migrate(
      Required.OfBand.self, Required.Artist.self, Required.Band.self
    ).error
    #expect(ofNoBand?.code == .missingReference)
  }
}
