import StrataTesting

internal import Foundation

@testable import Strata

/// The entity of the query tests, with every kind of attribute, plain and optional.
struct Track: Entity {
  enum Genre: String, AttributeValue { case jazz, soul, ska = "SKA" }

  var id = UUID.timeOrdered()
  var isLive = false
  var maybeLive: Bool?
  var rank: Int64 = 0
  var maybeRank: Int64?
  var length = 0.0
  var maybeLength: Double?
  var title = ""
  var subtitle: String?
  var released: Date?
  var cover: Data?
  var genre: Genre?
  var plays: UInt64 = 0
  var albumID: Album.ID?

  static let album = toOne(\.albumID, Album.self)
  static let schema = Schema<Track>("tracks", key: \.id) {
    Attribute(\.isLive)
    Attribute(\.maybeLive)
    Attribute(\.rank)
    Attribute(\.maybeRank).indexed()
    Attribute(\.length)
    Attribute(\.maybeLength)
    Attribute(\.title).indexed()
    Attribute(\.subtitle)
    Attribute(\.released)
    Attribute(\.cover)
    Attribute(\.genre)
    Attribute(\.plays)
    album
  }
}

struct Album: Entity {
  var id: Int64 = 0
  var name = ""
  var subtitle: String?
  var year: Int64?
  var isCompilation = false

  static let schema = Schema<Album>("albums", key: \.id) {
    Attribute(\.name)
    Attribute(\.subtitle)
    Attribute(\.year)
    Attribute(\.isCompilation)
  }
}

/// A few values of each kind, so that filters often find rows.
struct TrackValues: Sendable {
  let integers: [Int64]
  let reals: [Double]
  let texts: [String]
  let blobs: [Data]
  let ids: [UUID]

  init(_ random: inout SeededRandom) {
    integers = [0, 1, -1, 1 << 53, 1 << 53 + 1] + (0..<4).map { _ in random.integer() }
    reals = [0, 0.5, 1, .infinity, 0x1p53] + (0..<4).map { _ in random.real() + 0.0 }
    texts =
      ["", "a", "A", "ab", "a\0b", "\0", "é", "e\u{301}"]
      + (0..<8).map { _ in random.text() }
    blobs = [Data()] + (0..<4).map { _ in random.blob() }
    ids = (0..<60).map { _ in
      UUID.timeOrdered(at: TimeOrderedTick(Date(timeIntervalSince1970: 1_000)))
    }
  }

  func albums(_ random: inout SeededRandom) -> [Album] {
    (0..<8).map {
      Album(
        id: $0, name: random.pick(texts), subtitle: random.maybe(texts),
        year: random.maybe(integers), isCompilation: random.oneIn(2))
    }
  }

  func tracks(_ random: inout SeededRandom) -> [Track] {
    ids.map { id in
      Track(
        id: id, isLive: random.oneIn(2), maybeLive: random.maybe([true, false]),
        rank: random.pick(integers), maybeRank: random.maybe(integers),
        length: random.pick(reals), maybeLength: random.maybe(reals), title: random.pick(texts),
        subtitle: random.maybe(texts), released: random.maybe(dates), cover: random.maybe(blobs),
        genre: random.maybe([.jazz, .soul, .ska]), plays: random.pick(counts),
        // Some references dangle.
        albumID: random.maybe(Array(0..<10)))
    }
  }

  var dates: [Date] { reals.map { Date(timeIntervalSinceReferenceDate: $0) } }
  var counts: [UInt64] { integers.map { UInt64(bitPattern: $0) } }
}

extension SeededRandom {
  /// Returns one of the values, or nil in one of four cases.
  mutating func maybe<V>(_ values: [V]) -> V? { oneIn(4) ? nil : pick(values) }
}
