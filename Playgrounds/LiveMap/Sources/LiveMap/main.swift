// A map in the browser that is kept equal to a live query.
//
//   swift run --package-path Playgrounds/LiveMap
//   swift run -c release --package-path Playgrounds/LiveMap \
//     LiveMap --port 9000 --store quakes.sqlite

import Foundation
import Strata

guard let options = try? Options(CommandLine.arguments.dropFirst()) else {
  print(Options.usage)
  exit(2)
}
do { try await serve(options) } catch {
  print("LiveMap: \(error)")
  exit(1)
}

func serve(_ options: Options) async throws {
  let stack =
    if let store = options.store { try await Stack.open(Sighting.self, at: store) } else {
      try await Stack.temporary(Sighting.self)
    }
  let sites = try JSONDecoder().decode(
    [LaunchSite].self, from: Data(contentsOf: bundled("Page/data/cities.json")))
  let feed = options.feed.map(Feed.remote) ?? .bundled(bundled("Feed/earthquakes.geojson.gz"))
  let world = await World(stack, feed: feed, sites: sites, isQuiet: options.isQuiet)

  let server = try await WebServer(world, port: options.port)
  let serving = Task { try await server.run() }
  guard let address = try? await server.address() else {
    serving.cancel()
    await world.end()
    throw Options.PortTaken(port: options.port)
  }
  FileHandle.standardOutput.write(Data("Live map at \(address) (Ctrl-C ends it)\n".utf8))

  // However the process ends, it closes the store, and removes a temporary store.
  await Signals.first(of: SIGINT, SIGTERM)
  await server.stop()
  await world.end()
}

func bundled(_ name: String) -> URL {
  guard let url = Bundle.module.url(forResource: name, withExtension: nil) else {
    fatalError("\(name) is missing from the bundle: build the package again")
  }
  return url
}
