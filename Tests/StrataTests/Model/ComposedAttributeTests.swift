internal import Foundation
import StrataTestTurns
import Testing

@testable import Strata

private enum Genre: String, AttributeValue { case jazz, soul = "Soul & Funk", none = "" }
private enum Stars: Int8, AttributeValue { case none = 0, five = 5, bad = -1 }

private struct Lyrics: JSONValue, Equatable {
  struct Verse: Codable, Sendable, Equatable {
    var lines: [String] = []
    var chorus: Bool?
  }
  var language = ""
  var verses: [Verse] = []
  var notes: [String: Int64] = [:]
}

private struct Rich: Entity, Equatable {
  var id: Int64 = 0
  var url = URL(fileURLWithPath: "/")
  var maybeURL: URL?
  var price = Decimal(0)
  var maybePrice: Decimal?
  var genre = Genre.jazz
  var maybeGenre: Genre?
  var stars = Stars.none
  var maybeStars: Stars?
  var lyrics = Lyrics()
  var maybeLyrics: Lyrics?
  var tags: [String] = []
  var maybeTags: [String]?
  var counts: [String: Int] = [:]

  static let schema = Schema<Rich>("rich", key: \.id) {
    Attribute(\.url)
    Attribute(\.maybeURL)
    Attribute(\.price)
    Attribute(\.maybePrice)
    Attribute(\.genre)
    Attribute(\.maybeGenre)
    Attribute(\.stars)
    Attribute(\.maybeStars)
    Attribute(\.lyrics)
    Attribute(\.maybeLyrics)
    Attribute(\.tags)
    Attribute(\.maybeTags)
    Attribute(\.counts)
  }
}

private struct Lists: Entity, Equatable {
  var id: Int64 = 0
  var flags: [Bool] = []
  var integers: [Int64] = []
  var unsigned: [UInt64] = []
  var reals: [Double] = []
  var floats: [Float] = []
  var dates: [Date] = []
  var uuids: [UUID] = []
  var blobs: [Data] = []
  var urls: [URL] = []
  var optionals: [Int?] = []
  var nested: [[String]] = []
  var byName: [String: [Double?]] = [:]

  static let schema = Schema<Lists>("lists", key: \.id) {
    Attribute(\.flags)
    Attribute(\.integers)
    Attribute(\.unsigned)
    Attribute(\.reals)
    Attribute(\.floats)
    Attribute(\.dates)
    Attribute(\.uuids)
    Attribute(\.blobs)
    Attribute(\.urls)
    Attribute(\.optionals)
    Attribute(\.nested)
    Attribute(\.byName)
  }
}

/// Values that consist of other values.
@Suite(.inTurn) struct ComposedAttributeTests {
  @Test func `URLs come back as they were`() async throws {
    let texts = [
      "https://example.com", "https://example.com/a%20b?q=%C3%BC&r=1#top", "file:///tmp/x.sqlite",
      "mailto:miles@example.com", "https://[::1]:8080/", "urn:isbn:0451450523", "/relative/path",
    ]
    let urls = texts.compactMap { URL(string: $0) }
    #expect(urls.count == texts.count)
    try await expectRoundTrip(
      urls.enumerated().map { Rich(id: Int64($0), url: $1, maybeURL: $0 % 2 == 0 ? nil : $1) })
  }

  @Test func `decimals, digit by digit`() async throws {
    let values = [
      "0", "1", "-1", "0.1", "-0.001", "123456789012345678901234567890.12345678", "1e100",
      "-1e-100",
    ].compactMap { Decimal(string: $0) }
    let extremes: [Decimal] = [
      .pi, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude,
      .leastNonzeroMagnitude, Decimal(sign: .plus, exponent: 127, significand: 1),
      Decimal(sign: .minus, exponent: -127, significand: 7), Decimal(Int64.min),
      Decimal(UInt64.max),
    ]
    try await expectRoundTrip(
      (values + extremes).enumerated().map {
        Rich(id: Int64($0), price: $1, maybePrice: $0 % 2 == 0 ? nil : $1)
      })
  }

  @Test func `enumerations by their raw value`() async throws {
    try await expectRoundTrip([
      Rich(id: 1, genre: .soul, maybeGenre: nil, stars: .bad, maybeStars: .five),
      Rich(id: 2, genre: .none, maybeGenre: .some(.none), stars: .five, maybeStars: nil),
      Rich(id: 3, genre: .jazz, maybeGenre: .jazz, stars: .none, maybeStars: .some(.none)),
    ])
  }

  @Test func `Codable structs as JSON`() async throws {
    let lyrics = Lyrics(
      language: "日本語/\"q\"\\\0", verses: [.init(lines: ["é", "", "a\nb"], chorus: true), .init()],
      notes: ["größe": .max, "": .min, "a.b": 0])
    try await expectRoundTrip([
      Rich(id: 1), Rich(id: 2, lyrics: lyrics), Rich(id: 3, maybeLyrics: lyrics),
      Rich(id: 4, maybeLyrics: Lyrics()),
    ])
  }

  @Test func `arrays and dictionaries of text`() async throws {
    try await expectRoundTrip([
      Rich(id: 1, tags: ["", "\0", "a\"b", "日本"], maybeTags: nil, counts: ["": 0, "é": -1]),
      Rich(id: 2, tags: [], maybeTags: [], counts: [:]),
    ])
  }

  @Test func `arrays of everything`() async throws {
    try await expectRoundTrip([
      Lists(id: 1),
      Lists(
        id: 2, flags: [true, false], integers: EdgeValues.integers, unsigned: [0, .max, 1 << 63],
        reals: EdgeValues.reals.filter(\.isFinite), floats: [0.1, .greatestFiniteMagnitude],
        dates: [.distantPast, Date(timeIntervalSince1970: 0.1)],
        uuids: [UUID(), UUID.timeOrdered()],
        blobs: [Data(), Data([0, 255])], urls: [URL(fileURLWithPath: "/tmp/ü")],
        optionals: [nil, 1, nil], nested: [[], ["a"], ["b", ""]],
        byName: ["x": [1.5, nil], "": []]),
    ])
  }

  @Test func `the keys of a dictionary are sorted, so equal values are the same text`() throws {
    let counts = Dictionary(uniqueKeysWithValues: (0..<10).map { ("k\($0)", $0) })
    let text = (0..<10).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    #expect(try counts.cell.isSame(as: .text("{" + text + "}")))
  }
}
