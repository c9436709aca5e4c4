import Foundation
import StrataImport
import StrataMap

/// What a page asks for: an object with one key, such as `{"select": {"id": "ci37868143"}}`.
enum Request: Decodable, Sendable {
  /// The map shows a region, in degrees.
  case show(south: Double, west: Double, north: Double, east: Double, zoom: Double)
  /// Nothing shall change on the map, until the same reason is released.
  case hold(reason: Reason)
  case release(reason: Reason)
  /// The last one of these is on the screen, the next one may come.
  case shown(stream: EventStream)

  /// What the list and the map are of.
  case list(kinds: [Sighting.Kind], text: String, order: Order)
  /// Which rows of the list are visible.
  case rows(from: Int, count: Int)

  case select(id: String)
  case deselect
  /// How far to zoom in to see one by itself.
  case reveal(id: String)
  /// A cluster was clicked.
  case open(id: String)

  case note(id: String, text: String)
  case delete(id: String)
  case undo

  case startImport
  case stopImport
  /// What is not given stays.
  case balloons(count: Int?, movesPerSecond: Int?)

  enum Reason: String, Decodable { case drag, hidden }
  enum Order: String, Decodable { case strongest, newest, name }
}

/// What a page is told again and again.
enum EventStream: String, Decodable, Sendable { case change, rows, status }

/// What a page is told, likewise.
enum Event: Encodable, Sendable {
  /// What has changed on the map.
  case change(difference: GeoJSONDifference)
  /// Everything that was there when the page connected has been sent.
  case complete
  case rows(total: Int, from: Int, rows: [Row])
  /// The selected sighting as it is now; none if it is selected no more.
  case selected(sighting: Row?)
  /// Where to zoom to, to see one by itself, or a cluster come apart.
  case approach(id: String, zoom: Int)
  /// What lies at one place, and where to draw it around that place, in points of the screen.
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
    /// Milliseconds since 1970.
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
  /// How many pages have a registry.
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
    /// The part that is read, 0 to 1; nil if the size of the feed is not known.
    var fraction: Double?
    var result: ImportResult.Counts?
    var problem: String?
  }

  /// Takes what a registry says of itself.
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
  /// What a page says about an import.
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
