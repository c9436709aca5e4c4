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

  /// An edit. The page sends it again after a lost connection, until the edit is done.
  case edit(number: Int, edit: Edit)
  /// The user's decision about a conflict.
  case resolve(keepsMine: Bool)

  case startImport
  case stopImport
  /// Sets the balloons. A number that is missing stays as it is. `areUnderWay` tells whether new
  /// balloons begin somewhere on their way.
  case balloons(count: Int?, movesPerSecond: Int?, areUnderWay: Bool?)

  case tour(step: Tour.Step)
  /// The user's decision about the unsaved edit of the tour.
  case settle(isSaved: Bool)

  enum Reason: String, Decodable { case drag, hidden }
  enum Order: String, Decodable { case strongest, newest, name }
}

/// An edit of a page.
enum Edit: Decodable, Sendable {
  /// A note, and the note that the user saw before.
  case note(id: String, was: String, text: String)
  case delete(id: String)
  case undo
}

/// The kinds of events that a page gets again and again.
enum EventStream: String, Decodable, Sendable { case change, everything, rows, status }

extension Request.Reason {
  var gate: GateReason {
    switch self {
    case .drag: .userInteraction
    case .hidden: .hidden
    }
  }
}
