import Foundation
import Strata

/// Launches and moves balloons, with thousands of changes a second.
///
/// The actor keeps no balloons in memory. Each turn reads the next balloons from the store, moves
/// them, and saves them as one commit. A balloon that the user deletes meanwhile stays deleted.
actor Winds {
  /// The wanted number of balloons, and the number of moves in a second.
  struct Setting: Sendable, Hashable {
    var count = 0
    var movesPerSecond = 0
    /// Whether new balloons begin somewhere on their way, instead of at their sites.
    var areUnderWay = false
  }

  static let limits = Setting(count: 20_000, movesPerSecond: 20_000)
  /// The balloons that the first page finds.
  static let first = Setting(count: 1_500, movesPerSecond: 1_500)
  private static let turnsPerSecond = 20
  private static let mostInOneTurn = 500
  /// The moves that a balloon under way has behind it, at most.
  private static let longestWay = 40

  private let scratch: ScratchContext
  private let sites: [LaunchSite]
  private let tally: Tally
  /// The last setting; nil before the first, when the balloons of an older run stay as they are.
  private var wanted: Setting?
  private var blowing: Task<Void, Never>?
  /// Whether the winds are to rest. A setting may come while the turns that a rest has cancelled end.
  private var isResting = true
  /// The balloon that moved last. The balloons after it are next.
  private var last = ""

  init(_ stack: Stack, sites: [LaunchSite], tally: Tally) {
    self.tally = tally
    scratch = stack.makeScratch()
    scratch.author = "winds"
    self.sites = sites
  }

  func set(_ setting: Setting) {
    wanted = setting
    isResting = false
    if blowing == nil { blowing = Task { await blow() } }
  }

  /// Goes on after a rest.
  func resume() {
    if let wanted { set(wanted) }
  }

  /// Ends the turns, after the turn under way, until the next setting or ``resume()``.
  func rest() async {
    isResting = true
    blowing?.cancel()
    await blowing?.value
  }

  /// Takes turns until there is nothing to do.
  private func blow() async {
    defer {
      blowing = nil
      if Task.isCancelled && !isResting { resume() }
    }
    do {
      while !Task.isCancelled {
        let end = ContinuousClock.now + .seconds(1) / Self.turnsPerSecond
        guard let setting = wanted else { return }
        await scratch.refresh()
        let isComplete = try await launch(setting)
        if isComplete && setting.movesPerSecond == 0 && setting == wanted { return }
        let moves = try await drift(setting.movesPerSecond / Self.turnsPerSecond)
        // A change or a deletion that another context saves meanwhile wins.
        try await scratch.save(.discard)
        tally.addMoves(moves)
        try await Task.sleep(until: end)
      }
    } catch {
      scratch.rollback()
      if !Task.isCancelled { print("the winds have died down: \(error)") }
    }
  }

  /// Launches or deletes balloons up to the wanted number, a part of them in each turn.
  ///
  /// - Returns: whether there were as many as wanted already.
  private func launch(_ setting: Setting) async throws -> Bool {
    let missing = try await setting.count - scratch.count(Sighting.balloons)
    for _ in 0..<min(max(missing, 0), Self.mostInOneTurn) {
      guard let site = sites.randomElement() else { break }
      var balloon = Sighting.balloon(from: site)
      if setting.areUnderWay {
        for _ in 0..<Int.random(in: 0...Self.longestWay) { balloon.drift() }
      }
      scratch.insert(balloon)
    }
    if missing < 0 {
      let newest = Sighting.balloons.sorted(by: \.id, order: .reverse)
      let excess = try await scratch.fetch(newest.limit(min(-missing, Self.mostInOneTurn)))
      for balloon in excess { scratch.delete(balloon) }
    }
    return missing == 0
  }

  /// Moves the next `count` balloons, and returns the number of moves.
  private func drift(_ count: Int) async throws -> Int {
    let balloons = Sighting.balloons.sorted(by: \.id)
    var next = try await scratch.fetch(balloons.where { [last] in $0.id > last }.limit(count))
    if next.count < count {
      next += try await scratch.fetch(balloons.limit(count - next.count))
    }
    for balloon in next { scratch.update(balloon) { $0.drift() } }
    last = next.last?.id ?? ""
    return next.count
  }
}

/// A place where balloons begin.
struct LaunchSite: Decodable, Sendable {
  let name: String
  let longitude: Double
  let latitude: Double

  /// Reads a site from an array, such as `["Tokyo", 139.75, 35.69]`.
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    name = try container.decode(String.self)
    longitude = try container.decode(Double.self)
    latitude = try container.decode(Double.self)
  }
}

extension Sighting {
  fileprivate static func balloon(from site: LaunchSite) -> Sighting {
    var balloon = Sighting()
    balloon.id = "balloon-\(UUID.timeOrdered())"
    balloon.kind = .balloon
    balloon.place = "Balloon from \(site.name)"
    (balloon.latitude, balloon.longitude) = (site.latitude, site.longitude)
    balloon.time = Date()
    return balloon
  }

  /// Moves one step with the prevailing winds: eastwards in the middle latitudes, westwards in the
  /// tropics.
  fileprivate mutating func drift() {
    guard let latitude, let longitude else { return }
    let (north, east) = (latitude * .pi / 180, longitude * .pi / 180)
    let eastwards = -cos(3 * north) * 0.9 + .random(in: -0.1...0.1)
    // The path goes around the Earth in waves, and turns back from the poles.
    let northwards = 0.35 * sin(4 * east + 3 * north) - pow(latitude / 75, 3)
    self.latitude = min(max(latitude + northwards + .random(in: -0.1...0.1), -80), 80)
    self.longitude =
      (longitude + eastwards / max(cos(north), 0.3) + 540)
      .truncatingRemainder(dividingBy: 360) - 180
  }
}
