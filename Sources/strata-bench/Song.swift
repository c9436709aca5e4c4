import Foundation
import Strata

/// The entity of the song workloads: eleven attributes, an index on the title.
struct Song: Entity, Equatable {
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

  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title).indexed()
    Attribute(\.subtitle)
    Attribute(\.artistID)
    Attribute(\.ccli)
    Attribute(\.bpm)
    Attribute(\.key)
    Attribute(\.themes)
    Attribute(\.createdAt)
    Attribute(\.updatedAt)
    Attribute(\.hidden)
  }
}

// MARK: - Generated songs

extension Song {
  private static let words = [
    "Amazing", "Grace", "Holy", "River", "Mountain", "Light", "Morning", "Glory", "Mercy",
    "Kingdom", "Song", "Heart", "Fire", "Ocean", "Wonder", "Faith", "Shadow", "Anchor", "Harvest",
    "Promise",
  ]
  private static let themes = [
    "grace", "hope", "praise", "advent", "communion", "repentance", "thanksgiving", "creation",
    "mission", "comfort",
  ]
  private static let keys = ["C", "G", "D", "A", "E", "F", "Bb", "Eb", "Am", "Em"]

  /// Makes the song with a given key, which is the same in every run.
  init(number: Int) {
    let first = UInt64(number).mixed
    let second = first.mixed
    func word(_ bits: UInt64) -> String { Self.words[Int(bits % 20)] }
    func bit(_ position: UInt64) -> Bool { first & (1 << position) != 0 }
    id = number
    title = "\(word(first)) \(word(first >> 8)) \(word(first >> 16)) #\(number)"
    subtitle = bit(40) ? "A \(word(second)) for the \(word(second >> 9))" : nil
    artistID = Int(second % 10_000) + 1
    ccli = bit(41) ? Int(second % 7_000_000) : nil
    bpm = Double(60 + first % 120) + 0.5
    key = Self.keys[Int(second % 10)]
    themes = [0, 7, 14, 21, 28].map { Self.themes[Int((second >> $0) % 10)] }
      .joined(separator: ", ")
    createdAt = Date(timeIntervalSince1970: 1_600_000_000 + Double(first % 100_000_000) / 7)
    updatedAt = Date(timeIntervalSince1970: 1_700_000_000 + Double(second % 10_000_000) / 7)
    hidden = !bit(42) && !bit(43)
  }

  /// Returns the songs with the keys from 1 to `count`.
  static func generated(_ count: Int) -> [Song] { (1...count).map(Song.init(number:)) }
}

extension UInt64 {
  /// The number after one step of SplitMix64, a hash that is the same on every machine.
  var mixed: UInt64 {
    var bits = self &+ 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
