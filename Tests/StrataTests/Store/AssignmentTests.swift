import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Updates of a query's rows in one commit of the writer.
@Suite(.inTurn) struct AssignmentTests {
  private struct Song: Entity, Equatable {
    var id = 0
    var title = ""
    var plays = 0
    var score = 0.0
    var note: String?
    var code: Int?
    var singer: Singer.ID?
    var home = 1

    static let artist = toOne(\.singer, Singer.self, onDelete: .nullify)
    static let studio = toOne(\.home, Singer.self, onDelete: .deny)
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title).fullText()
      Attribute(\.plays).indexed().validated(0...1_000)
      Attribute(\.score)
      Attribute(\.note)
      Attribute(\.code).unique()
      artist
      studio
    }
  }

  private struct Singer: Entity, Equatable {
    var id = 0
    var name = ""
    static let schema = Schema<Singer>("singers", key: \.id) { Attribute(\.name) }
  }

  private func open(_ songs: Song..., options: Stack.Options = .init()) async throws -> Stack {
    let stack = try await Stack.temporary(Song.self, Singer.self, options: options)
    try await stack.withScratch { scratch in
      for id in 1...3 { scratch.insert(Singer(id: id, name: "singer \(id)")) }
      for song in songs { scratch.insert(song) }
    }
    return stack
  }

  @Test func `values and computed values are set in one commit, and told exactly`() async throws {
    let stack = try await open(
      Song(id: 1, title: "a", plays: 1), Song(id: 2, title: "b", plays: 5, note: "x"),
      Song(id: 3, title: "c", plays: 9, note: "y"))
    let view = await stack.viewContext
    let live = await view.live(Song.all)
    try await live.waitUntilLoaded()
    var changes = stack.changes.makeAsyncIterator()
    let count = try await stack.update(
      Song.where { $0.plays > 4 }, .set(\.note, to: "x"), .set(\.plays) { $0.plays * 2 },
      .set(\.score) { $0.score + 1 })
    #expect(count == 2)
    #expect(await live.elements.map(\.plays) == [1, 10, 18])
    #expect(await live.elements.map(\.score) == [0, 1, 1])
    let updated = try #require(await changes.next()).changes(of: Song.self).updated
    #expect(updated.map(\.after.id) == [2, 3])
    #expect(updated.map(\.attributes) == [["plays", "score"], ["plays", "score", "note"]])
    // A row that has the values already is neither written nor told.
    let commit = await view.commit
    #expect(try await stack.update(Song.all, .set(\.home, to: 1)) == 3)
    #expect(await view.commit == commit)
    await stack.close()
  }

  @Test func `a query with a limit or over links has only its rows updated`() async throws {
    let stack = try await open(
      Song(id: 1, plays: 3, singer: 1), Song(id: 2, plays: 1, singer: 1), Song(id: 3, plays: 2))
    func plays() async throws -> [Int] { try await stack.fetch(Song.all).map(\.plays) }
    try await stack.update(
      Song.all.sorted(by: \.plays).limit(2), .set(\.plays) { $0.plays + 10 })
    #expect(try await plays() == [3, 11, 12])
    try await stack.update(
      Song.where { $0.artist.name == "singer 1" }.sorted { $0.artist.name }, .set(\.plays, to: 0))
    #expect(try await plays() == [0, 0, 12])
    #expect(try await stack.update(Song.where { _ in false }, .set(\.plays, to: 7)) == 0)
    await stack.close()
  }

  @Test func `an assignment that a save would refuse is refused, and no row changes`() async throws
  {
    let songs = [
      Song(id: 1, plays: 600, score: 1e308, code: 1), Song(id: 2, plays: 1, code: 2),
    ]
    let stack = try await open(songs[0], songs[1])
    func refusal(_ assignments: AttributeAssignment<Song>) async -> StoreError.Code? {
      await failure { try await stack.update(Song.all, assignments) }?.code
    }
    #expect(await refusal(.set(\.code, to: 3)) == .uniquenessViolated)
    #expect(await refusal(.set(\.home, to: 9)) == .missingReference)
    #expect(await refusal(.set(\.plays) { $0.plays * 2 }) == .validationFailed)
    #expect(await refusal(.set(\.plays) { $0.plays + Int.max }) == .invalidValue)
    #expect(await refusal(.set(\.score, to: .nan)) == .invalidQuery)
    #expect(await refusal(.set(\.id, to: 4)) == .invalidQuery)
    #expect(await refusal(.set(\.title) { $0.artist.name }) == .invalidQuery)
    let twice = await failure {
      try await stack.update(Song.all, .set(\.plays, to: 1), .set(\.plays, to: 2))
    }
    #expect(twice?.code == .invalidQuery)
    #expect(try await stack.fetch(Song.all) == songs)
    // Unique values can move from row to row within one update.
    try await stack.update(Song.all, .set(\.code) { 3 - ($0.code ?? 0) })
    #expect(try await stack.fetch(Song.all).map(\.code) == [2, 1])
    await stack.close()
  }

  @Test func `an unsaved edit of the same attribute becomes a conflict`() async throws {
    let stack = try await open(Song(id: 1, title: "a"), Song(id: 2, title: "b"))
    let view = await stack.viewContext
    let live = await view.live(Song.all)
    try await live.waitUntilLoaded()
    await MainActor.run {
      view.update(live.elements[0]) { $0.title = "mine" }
      view.update(live.elements[1]) { $0.note = "mine" }
    }
    try await stack.update(Song.all, .set(\.title, to: "theirs"))
    #expect(await view.conflicts.map(\.attributes) == [["title"]])
    try await view.save(.mergeMine)
    #expect(try await stack.fetch(Song.all).map(\.title) == ["mine", "theirs"])
    #expect(try await stack.fetch(Song.all).map(\.note) == [nil, "mine"])
    await stack.close()
  }

  @Test func `an update leaves what the same edits in a context leave`() async throws {
    var random = SeededRandom.printingSeed()
    var options = Stack.Options()
    options.history = .keep(for: .seconds(3600))
    let (stack, other) = (try await open(options: options), try await open(options: options))
    let outboxes = (try await stack.outbox(), try await other.outbox())
    for round in 0..<30 {
      let words = ["red", "blue", "green"]
      let word = words.randomElement(using: &random) ?? ""
      let songs = (0..<8).map { _ in
        Song(
          id: .random(in: 1...20, using: &random), title: word,
          plays: .random(in: 0...9, using: &random),
          singer: [nil, 1, 2].randomElement(using: &random)!)
      }
      for stack in [stack, other] {
        try await stack.withScratch { scratch in for song in songs { scratch.upsert(song) } }
      }
      let limit = Int.random(in: 0...9, using: &random)
      let title = words.randomElement(using: &random) ?? ""
      let query = Song.where { $0.plays >= limit || $0.artist.name == "singer 1" }
      let count = try await stack.update(
        query, .set(\.title, to: title), .set(\.plays) { $0.plays + 1 }, .set(\.singer, to: 2))
      let expected = try await other.withScratch { scratch in
        try await scratch.update(query) { song in
          song.title = title
          song.plays += 1
          song.singer = 2
        }
      }
      #expect(count == expected, "round \(round)")
      #expect(try await stack.fetch(Song.all) == other.fetch(Song.all), "round \(round)")
      #expect(
        try await stack.fetch(Song.all.matching(title)) == other.fetch(Song.all.matching(title)),
        "round \(round)")
    }
    let requests = try await outboxes.0.requests().map(\.description)
    #expect(try await outboxes.1.requests().map(\.description) == requests)
    var histories: [[String]] = []
    for stack in [stack, other] {
      var commits: [String] = []
      for try await commit in stack.history() {
        let changes = commit.changes.changes(of: Song.self)
        commits.append("\(changes.inserted) \(changes.updated.map { ($0.before, $0.after) })")
      }
      histories.append(commits)
    }
    #expect(histories[0] == histories[1])
    await stack.close()
    await other.close()
  }
}
