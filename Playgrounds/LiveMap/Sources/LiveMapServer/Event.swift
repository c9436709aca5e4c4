import Foundation
import StrataMap

/// An event for a page, an object with one key like a request.
enum Event: Encodable, Sendable {
  /// The changes of the map.
  case change(difference: GeoJSONDifference)
  /// All features of the map, for the comparison with a map without a registry.
  case everything(features: Everything)
  /// The page has everything that existed when it connected.
  case complete

  /// The visible rows of the list.
  case rows(total: Int, from: Int, rows: [Row])
  /// The differences of the visible rows.
  case rowChanges(changes: RowChanges)

  /// The badges of the visible rows, by id.
  case badges(badges: [String: RowBadge])

  /// The selected sighting in its current state; nil if it is no longer selected.
  case selected(sighting: Row?)
  /// The zoom level at which an element stands by itself, or a cluster comes apart.
  case approach(id: String, zoom: Int)
  /// The elements at one place, and their positions around it in points of the screen.
  case spread(id: String, legs: [Leg])

  /// An edit is in the store, or will never be.
  case done(number: Int)
  /// An edit and another save gave one attribute different values.
  case conflict(id: String, attributes: [String], mine: Row?, theirs: Row?)

  case status(status: Status)
  case told(chapter: Tour.Chapter)
  case problem(message: String)

  struct Leg: Encodable, Sendable {
    let sighting: Row
    let x: Double
    let y: Double
  }
}

/// A sighting in the list or on the card.
struct Row: Encodable, Sendable, Hashable {
  /// The attributes that a row of the list shows. A change of another attribute is not sent.
  static let listed: Set<String> = ["kind", "place", "magnitude", "time", "note"]

  let id: String
  let kind: Sighting.Kind
  let place: String?
  let magnitude: Double?
  /// The coordinate; nil in the list.
  var latitude: Double?
  var longitude: Double?
  /// The time in milliseconds since 1970.
  let time: Double?
  let note: String

  init(listing sighting: Sighting) {
    id = sighting.id
    kind = sighting.kind
    place = sighting.place
    magnitude = sighting.magnitude
    time = sighting.time.map { $0.timeIntervalSince1970 * 1000 }
    note = sighting.note
  }

  init(_ sighting: Sighting) {
    self.init(listing: sighting)
    latitude = sighting.latitude
    longitude = sighting.longitude
  }
}

/// The differences of the visible rows, at offsets from the first visible row.
///
/// A page removes the deleted rows and the origins of moves, and then inserts at the other offsets,
/// ascending.
struct RowChanges: Encodable, Sendable, Equatable {
  var total: Int
  var deletions: [Int] = []
  /// The offsets before and after each move.
  var moves: [[Int]] = []
  var insertions: [Insertion] = []
  var edits: [Edit] = []

  struct Insertion: Encodable, Sendable, Equatable {
    let offset: Int
    let row: Row
  }

  struct Edit: Encodable, Sendable, Equatable {
    let offset: Int
    let row: Row
  }

  var isEmpty: Bool {
    deletions.isEmpty && moves.isEmpty && insertions.isEmpty && edits.isEmpty
  }
}
