// A map in the browser that is kept equal to a live query.
//
//   swift run --package-path Playgrounds/LiveMap
//   swift run -c release --package-path Playgrounds/LiveMap \
//     LiveMap --port 9000 --store quakes.sqlite

import Foundation
import LiveMapServer
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
  let map = try await MapHost(stack, feed: options.feed, isQuiet: options.isQuiet)
  guard let address = try await map.serve(port: options.port) else {
    await map.end()
    throw Options.PortTaken(port: options.port)
  }
  FileHandle.standardOutput.write(Data("Live map at \(address) (Ctrl-C ends it)\n".utf8))

  // However the process ends, it closes the store, and removes a temporary store.
  await Signals.first(of: SIGINT, SIGTERM)
  await map.end()
}
