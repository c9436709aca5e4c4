public import Foundation
public import Strata

/// A store of sightings, and the pages that show it on a map.
@MainActor public final class MapHost {
  /// The authors of the commits that pages make.
  public static let authors: Set = [PageEdits.author, PageEdits.otherAuthor]

  private let world: World
  /// The edits that the program makes in the place of a page.
  private let edits: PageEdits
  private var server: WebServer?

  /// - Parameters:
  ///   - feed: a feed of quakes on the network; nil for the bundled one.
  ///   - isQuiet: whether the first page finds the store as it is, without an import and balloons.
  public init(_ stack: Stack, feed: URL? = nil, isQuiet: Bool) throws {
    let sites = try JSONDecoder().decode(
      [LaunchSite].self, from: Data(contentsOf: Self.bundled("Page/data/cities.json")))
    world = World(
      stack, feed: feed.map(Feed.remote) ?? .bundled(Self.bundled("Feed/earthquakes.geojson.gz")),
      sites: sites, isQuiet: isQuiet)
    edits = PageEdits(stack, author: PageEdits.author)
  }

  /// Returns the badge of a row; nil without a badge. Pages ask for it again and again.
  public var badge: (@MainActor (Sighting) -> RowBadge?)? {
    get { world.badge }
    set { world.badge = newValue }
  }

  /// Serves the page to this machine alone.
  ///
  /// - Parameter port: the port; 0 for any free port.
  /// - Returns: the page's address; nil if the port is taken.
  public func serve(port: UInt16) async throws -> String? {
    let server = try await WebServer(world, port: port)
    let serving = Task { try await server.run() }
    guard let address = try? await server.address() else {
      serving.cancel()
      return nil
    }
    self.server = server
    return address
  }

  /// Imports the feed at its full speed.
  public func importQuakes() async throws { _ = try await world.importAgain() }

  /// Launches balloons and moves them, with or without a page.
  public func fly(balloons: Int, movesPerSecond: Int) async {
    await world.setWinds(count: balloons, movesPerSecond: movesPerSecond)
  }

  /// Returns the strongest quakes, the strongest first.
  public func strongest(_ count: Int) async throws -> [Sighting] {
    try await world.stack.viewContext.fetch(
      Sighting.quakes.sorted(by: \.magnitude, order: .reverse).limit(count))
  }

  /// Writes a note on a sighting, in place of the present note.
  public func write(_ note: String, on id: String) async throws {
    let present = try await world.stack.viewContext.find(Sighting.self, id)?.note ?? ""
    if try await edits.perform(.note(id: id, was: present, text: note)) != nil {
      try await edits.resolve(keepsMine: true)
    }
  }

  /// Ends the pages and all changes, and closes the stack.
  public func end() async {
    await server?.stop()
    await world.end()
  }

  private static func bundled(_ name: String) -> URL {
    guard let url = Bundle.module.url(forResource: name, withExtension: nil) else {
      fatalError("\(name) is missing from the bundle: build the package again")
    }
    return url
  }
}
