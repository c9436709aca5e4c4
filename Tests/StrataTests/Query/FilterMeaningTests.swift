internal import Foundation
import StrataTestTurns
import Testing

@testable import Strata

/// The meaning of filters by example, in the store, and in memory over an unsaved edit.
@Suite(.inTurn) struct FilterMeaningTests {
  private static let id = UUID.timeOrdered()

  /// Returns whether each way of running a query finds the track.
  private func finds(
    _ track: Track, _ album: Album? = nil, _ condition: (Fields<Track, Track>) -> Filter<Track>
  ) async throws -> [Bool] {
    let stack = try await Stack.temporary(Track.self, Album.self)
    let scratch = stack.makeScratch()
    scratch.insert(track)
    if let album { scratch.insert(album) }
    let query = Track.where(condition)
    let inMemory = try await !scratch.fetch(query).isEmpty
    try await scratch.save()
    let inStore = try await !stack.fetch(query).isEmpty
    await stack.close()
    return [inMemory, inStore]
  }

  private let yes = [true, true]
  private let no = [false, false]

  @Test func `comparing a missing value is false, and its negation true`() async throws {
    let track = Track()
    #expect(try await finds(track) { $0.maybeRank > 0 } == no)
    #expect(try await finds(track) { $0.maybeRank <= 0 } == no)
    #expect(try await finds(track) { !($0.maybeRank > 0) } == yes)
    #expect(try await finds(track) { $0.maybeRank == 0 } == no)
    #expect(try await finds(track) { $0.maybeRank != 0 } == yes)
    #expect(try await finds(track) { $0.subtitle.contains("") } == no)
    #expect(try await finds(track) { !$0.subtitle.hasPrefix("a") } == yes)
  }

  @Test func `nil equals nil and nothing else`() async throws {
    let track = Track(maybeRank: 1)
    #expect(try await finds(track) { $0.maybeLength == nil } == yes)
    #expect(try await finds(track) { $0.maybeLength != nil } == no)
    #expect(try await finds(track) { $0.maybeRank == nil } == no)
    #expect(try await finds(track) { $0.maybeRank != nil } == yes)
    #expect(try await finds(track) { $0.maybeRank > nil } == no)
    #expect(try await finds(track) { !($0.maybeRank < nil) } == yes)
    #expect(try await finds(track) { $0.maybeLength.isIn([nil, 1]) } == yes)
    #expect(try await finds(track) { $0.maybeRank.isIn([nil, 2]) } == no)
    #expect(try await finds(track) { !$0.maybeLength.isIn([Double?]()) } == yes)
  }

  @Test func `text is compared byte by byte`() async throws {
    let track = Track(title: "Für Élise\0!", subtitle: "100%_")
    #expect(try await finds(track) { $0.title.contains("É") } == yes)
    #expect(try await finds(track) { $0.title.contains("é") } == no)
    #expect(try await finds(track) { $0.title.contains("E\u{301}") } == no)
    #expect(try await finds(track) { $0.title.hasSuffix("\0!") } == yes)
    #expect(try await finds(track) { $0.title.contains("!") } == yes)
    #expect(try await finds(track) { $0.title.hasPrefix("für") } == no)
    #expect(try await finds(track) { $0.title.hasPrefix("Für Élise\0!?") } == no)
    #expect(try await finds(track) { $0.subtitle.contains("%") } == yes)
    #expect(try await finds(track) { $0.subtitle.contains("0_") } == no)
    #expect(try await finds(track) { $0.title == "Für Élise" } == no)
  }

  @Test func `a prefix that ends with the last code points`() async throws {
    for title in ["\u{10FFFF}", "a\u{10FFFF}b", "\u{D7FF}x", "\u{E000}"] {
      let track = Track(title: title)
      for prefix in ["\u{10FFFF}", "a\u{10FFFF}", "a", "\u{D7FF}", "\u{E000}"] {
        let expected = title.utf8.starts(with: prefix.utf8) ? yes : no
        #expect(try await finds(track) { $0.title.hasPrefix(prefix) } == expected)
        #expect(try await finds(track) { !$0.title.hasPrefix(prefix) } == expected.map(!))
      }
    }
  }

  @Test func `ranges include their bounds as written`() async throws {
    let track = Track(rank: 5, maybeLength: 5)
    #expect(try await finds(track) { $0.rank.isIn(1...5) } == yes)
    #expect(try await finds(track) { $0.rank.isIn(1..<5) } == no)
    #expect(try await finds(track) { $0.maybeLength.isIn(5..<6) } == yes)
    #expect(try await finds(track) { $0.maybeLength.isIn(5.5...6) } == no)
  }

  @Test func `a Bool attribute is a filter by itself`() async throws {
    let track = Track(isLive: true, maybeLive: false)
    #expect(try await finds(track) { $0.isLive } == yes)
    #expect(try await finds(track) { !$0.isLive } == no)
    #expect(try await finds(track) { $0.isLive == false || $0.isLive != false } == yes)
    #expect(try await finds(track) { $0.maybeLive == false } == yes)
    #expect(try await finds(track) { $0.maybeLive != nil && $0.isLive } == yes)
  }

  @Test func `a Bool behind a missing reference is neither true nor false`() async throws {
    for id in [nil, 2] as [Int64?] {
      let track = Track(albumID: id)
      #expect(try await finds(track) { $0.album.isCompilation == false } == no)
      #expect(try await finds(track) { $0.album.isCompilation == true } == no)
      #expect(try await finds(track) { $0.album.isCompilation != false } == yes)
      #expect(try await finds(track) { $0.album.isCompilation != true } == yes)
      #expect(try await finds(track) { !$0.album.isCompilation } == yes)
    }
    let (album, track) = (Album(id: 1), Track(albumID: 1))
    #expect(try await finds(track, album) { $0.album.isCompilation == false } == yes)
    #expect(try await finds(track, album) { $0.album.isCompilation != false } == no)
    // A condition of any kind has only these two values.
    #expect(try await finds(track) { ($0.maybeRank == 1) == false } == yes)
    #expect(try await finds(track) { ($0.isLive || $0.isLive) == false } == yes)
  }

  @Test func `a reference that is missing or leads nowhere reads as nil`() async throws {
    let album = Album(id: 1, name: "Kind of Blue", year: 1959)
    for (id, found) in [(Int64(1), yes), (2, no), (nil, no)] as [(Int64?, [Bool])] {
      let track = Track(albumID: id)
      #expect(try await finds(track, album) { $0.album.name.hasPrefix("Kind") } == found)
      #expect(try await finds(track, album) { $0.album.year == nil } == found.map(!))
      #expect(try await finds(track, album) { $0.album.id == 1 } == found)
      #expect(try await finds(track, album) { !($0.album.year > 1950) } == found.map(!))
    }
  }

  @Test func `values that a filter cannot hold are named when it runs`() async throws {
    let stack = try await Stack.temporary(Track.self, Album.self)
    let queries = [
      Track.where { $0.length > .nan }, Track.where { $0.maybeLength.isIn([1, .nan]) },
      Track.where { $0[\.title.count] == 1 },
    ]
    for query in queries {
      let error = await #expect(throws: StoreError.self) { _ = try await stack.fetch(query) }
      #expect(error?.code == .invalidQuery && error?.entity == "Track")
    }
    await stack.close()
  }

  @Test func `a reference to an entity of another stack is named when it runs`() throws {
    let model = try Model([Album.self, Lonely.self])
    let error = #expect(throws: StoreError.self) {
      _ = try QueryPlan(Lonely.where { $0.track.title == "" }, model)
    }
    #expect(error?.code == .invalidQuery && error?.message.contains("Track") == true)
  }

  private struct Lonely: Entity {
    var id: Int64 = 0
    var trackID: Track.ID?
    static let track = toOne(\.trackID, Track.self)
    static let schema = Schema<Lonely>("lonely", key: \.id) { Attribute(\.trackID) }
  }
}
