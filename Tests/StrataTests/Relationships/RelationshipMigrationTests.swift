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

/// Other names for everything.
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

@Suite(.timeLimit(.minutes(10))) struct RelationshipMigrationTests {
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
      // The rules know the table by its new name.
      try await stack.withScratch { $0.delete(V3.Label(id: 1)) }
      #expect(try await stack.fetch(V3.Memo.labels(of: 1)).map(\.id) == [3])
      try await stack.withScratch { $0.link(1, to: 3, in: V3.Memo.labels) }
    }
    try await file.open(V4.Memo.self, V4.Label.self, version: 4) { stack in
      let topics = try await stack.fetch(V4.Memo.topics(of: 1))
      #expect(topics.map(\.id) == [3])
    }
  }
}
