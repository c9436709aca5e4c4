import Foundation
import StrataImport
import StrataMap

/// A request of a page: an object with one key, such as `{"select": {"id": "ci37868143"}}`.
enum Request: Decodable, Sendable {
  /// The map shows a region, in degrees.
  case show(south: Double, west: Double, north: Double, east: Double, zoom: Double)
  /// The map must not change until a `release` with the same reason.
  case hold(reason: Reason)
  case release(reason: Reason)
  /// The last event of a stream is on the screen, and the next event may come.
  case shown(stream: EventStream)

  /// The list and the map show these kinds, filtered by a text, in an order.
  case list(kinds: [Sighting.Kind], text: String, order: Order)
  /// These rows of the list are visible.
  case rows(from: Int, count: Int)

  case select(id: String)
  case deselect
  /// Asks for the zoom level at which an element stands by itself.
  case reveal(id: String)
  /// The user clicked a cluster.
  case open(id: String)

  case note(id: String, text: String)
  case delete(id: String)
  case undo

  case startImport
  case stopImport
  /// Sets the balloons. A number that is missing stays as it is.
  case balloons(count: Int?, movesPerSecond: Int?)

  enum Reason: String, Decodable { case drag, hidden }
  enum Order: String, Decodable { case strongest, newest, name }
}

/// The kinds of events that a page gets again and again.
enum EventStream: String, Decodable, Sendable { case change, rows, status }

/// An event for a page, an object with one key like a request.
enum Event: Encodable, Sendable {
  /// The changes of the map.
  case change(difference: GeoJSONDifference)
  /// The page has everything that existed when it connected.
  case complete
  case rows(total: Int, from: Int, rows: [Row])
  /// The selected sighting in its current state; nil if it is no longer selected.
  case selected(sighting: Row?)
  /// The zoom level at which an element stands by itself, or a cluster comes apart.
  case approach(id: String, zoom: Int)
  /// The elements at one place, and their positions around it in points of the screen.
  case spread(id: String, legs: [Leg])
  case status(status: Status)
  case problem(message: String)

  struct Row: Encodable, Sendable, Hashable {
    let id: String
    let kind: Sighting.Kind
    let place: String?
    let magnitude: Double?
    let latitude: Double?
    let longitude: Double?
    /// The time in milliseconds since 1970.
    let time: Double?
    let note: String

    init(_ sighting: Sighting) {
      id = sighting.id
      kind = sighting.kind
      place = sighting.place
      magnitude = sighting.magnitude
      latitude = sighting.latitude
      longitude = sighting.longitude
      time = sighting.time.map { $0.timeIntervalSince1970 * 1000 }
      note = sighting.note
    }
  }

  struct Leg: Encodable, Sendable {
    let sighting: Row
    let x: Double
    let y: Double
  }
}

/// The numbers of a page's dashboard.
struct Status: Encodable, Sendable, Hashable {
  /// The number of pages with a registry.
  var pages = 0
  /// The newest commit that the view context shows.
  var commit: Int64 = 0
  var feed = Feed()
  var balloons = 0
  var movesPerSecond = 0
  var canUndo = false

  var isHolding = false
  var clustersLag = false
  var shown = 0
  var pending = 0
  var added = 0
  var moved = 0
  var restyled = 0
  var removed = 0
  var coalesced = 0
  var suppressed = 0
  var highWater = 0
  var slices = 0
  var worstSliceMilliseconds = 0.0

  struct Feed: Encodable, Sendable, Hashable {
    var isRunning = false
    /// The part of the feed that is read, 0 to 1; nil if its size is not known.
    var fraction: Double?
    var result: ImportResult.Counts?
    var problem: String?
  }

  /// Takes the state and the counters of a registry.
  @MainActor mutating func describe(_ registry: AnnotationRegistry<Sighting>) {
    let counters = registry.counters
    isHolding = !registry.isGateOpen
    clustersLag = registry.clustersLag
    shown = registry.shownCount
    pending = registry.pendingOperationCount
    added = counters.added
    moved = counters.moved
    restyled = counters.restyled
    removed = counters.removed
    coalesced = counters.coalesced
    suppressed = counters.suppressed
    highWater = counters.highWater
    slices = counters.slices
    worstSliceMilliseconds = counters.worstSlice / .milliseconds(1)
  }
}

extension ImportResult {
  /// The numbers of an import that a page shows.
  struct Counts: Encodable, Sendable, Hashable {
    let records: Int
    let inserted: Int
    let updated: Int
    let unchanged: Int
    let deleted: Int
  }

  var counts: Counts {
    Counts(
      records: records, inserted: inserted, updated: updated, unchanged: unchanged,
      deleted: deleted)
  }
}
