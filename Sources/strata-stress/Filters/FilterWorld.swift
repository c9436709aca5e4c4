import Foundation
import Strata

/// An entity with every kind of attribute that filters treat differently.
struct Piece: Entity, Equatable {
  var id = 0
  var title = ""
  var subtitle: String?
  var plays = 0
  var skips: Int?
  var bpm = 0.0
  var rating: Double?
  var released: Date?
  var isLive = false
  var composerID: Composer.ID?

  static let composer = toOne(\.composerID, Composer.self)
  static let labels = manyToMany(Label.self)
  static let schema = Schema<Piece>("pieces", key: \.id) {
    Attribute(\.title).indexed()
    Attribute(\.subtitle)
    Attribute(\.plays).indexed()
    Attribute(\.skips)
    Attribute(\.bpm)
    Attribute(\.rating).indexed()
    Attribute(\.released)
    Attribute(\.isLive)
    composer
    labels
  }
}

/// An entity that refers to its own kind.
struct Composer: Entity, Equatable {
  var id = 0
  var name = ""
  var born: Int?
  var teacherID: Composer.ID?

  static let teacher = toOne(\.teacherID, Composer.self)
  static let pupils = toMany(\Composer.teacherID)
  static let pieces = toMany(\Piece.composerID)
  static let schema = Schema<Composer>("composers", key: \.id) {
    Attribute(\.name)
    Attribute(\.born)
    teacher
    pupils
    pieces
  }
}

struct Label: Entity, Equatable {
  var id = ""
  var weight = 0

  static let pieces = manyToMany(inverseOf: \Piece.Type.labels)
  static let schema = Schema<Label>("labels", key: \.id) {
    Attribute(\.weight)
    pieces
  }
}

/// All entities, as plain Swift values.
struct FilterWorld: Sendable {
  var pieces: [Int: Piece] = [:]
  var composers: [Int: Composer] = [:]
  var labels: [String: Label] = [:]
  /// The labels of each piece.
  var links: [Int: Set<String>] = [:]

  func composer(of piece: Piece) -> Composer? { piece.composerID.flatMap { composers[$0] } }
  func teacher(of composer: Composer?) -> Composer? {
    composer?.teacherID.flatMap { composers[$0] }
  }
  func labels(of piece: Piece) -> [Label] { (links[piece.id] ?? []).compactMap { labels[$0] } }
  func pieces(of label: Label) -> [Piece] {
    pieces.values.filter { links[$0.id]?.contains(label.id) == true }
  }
  func pieces(of composer: Composer?) -> [Piece] {
    pieces.values.filter { composer != nil && $0.composerID == composer?.id }
  }
  func pupils(of composer: Composer?) -> [Composer] {
    composers.values.filter { composer != nil && $0.teacherID == composer?.id }
  }
}

/// Edge values of each kind. They are few, so that a filter often finds its values.
struct FilterValues {
  let integers: [Int]
  let reals: [Double]
  let texts: [String]
  let labels = ["", "a", "A", "\u{0}"]

  init(_ random: inout SplitMix64) {
    integers = [
      0, 1, -1, 2, 7, .max, .min, 1 << 53, 1 << 53 + 1, Int.random(in: -9...9, using: &random),
    ]
    reals = [
      0, 0.5, -0.5, 1, 2, 7, .infinity, -.infinity, 0x1p53, 0x1p63, -0x1p63, 1e300,
      Double.random(in: -9...9, using: &random),
    ]
    texts = [
      "", "a", "A", "ab", "aB", "b", "ß", "ẞ", "ss", "SS", "é", "e\u{301}", "É", "a\u{0}b", "\u{0}",
      "ΑΣ", "ας", "ασ", "ö", "Ö", "z", "Z", "zö", "ﬁ", "fi", "100%_", "日本",
    ]
  }

  var dates: [Date] { reals.map { Date(timeIntervalSinceReferenceDate: $0) } }

  func world(_ random: inout SplitMix64) -> FilterWorld {
    var world = FilterWorld()
    for id in 0..<24 where random.next() % 8 > 0 { world.pieces[id] = piece(id, &random) }
    for id in 0..<6 where random.next() % 8 > 0 { world.composers[id] = composer(id, &random) }
    for id in labels where random.next() % 8 > 0 {
      world.labels[id] = Label(id: id, weight: integers.randomElement(using: &random) ?? 0)
    }
    for id in world.pieces.keys.sorted() {
      world.links[id] = Set(labels.filter { world.labels[$0] != nil && random.next() % 4 == 0 })
    }
    return world
  }

  private func piece(_ id: Int, _ random: inout SplitMix64) -> Piece {
    Piece(
      id: id, title: texts.randomElement(using: &random) ?? "", subtitle: maybe(texts, &random),
      plays: integers.randomElement(using: &random) ?? 0, skips: maybe(integers, &random),
      bpm: reals.randomElement(using: &random) ?? 0, rating: maybe(reals, &random),
      released: maybe(dates, &random), isLive: random.next() % 2 == 0,
      // The reference may lead nowhere.
      composerID: maybe(Array(0..<7), &random))
  }

  private func composer(_ id: Int, _ random: inout SplitMix64) -> Composer {
    Composer(
      id: id, name: texts.randomElement(using: &random) ?? "", born: maybe(integers, &random),
      teacherID: maybe(Array(0..<7), &random))
  }

  /// Returns a random value, or nil in a quarter of the calls.
  func maybe<V>(_ values: [V], _ random: inout SplitMix64) -> V? {
    random.next() % 4 == 0 ? nil : values.randomElement(using: &random)
  }
}
