// Three hosts that share a PostgreSQL. Two show the live map, and the third brings quakes and balloons.
//
//   swift run --package-path Playgrounds/Replicas          (needs PostgreSQL and libpq)

import Foundation
import LiveMapServer
import LocalPostgres

do { try await run() } catch {
  print("Replicas: \(error)")
  exit(1)
}

func run() async throws {
  let arguments = CommandLine.arguments.dropFirst()
  guard arguments.isEmpty || arguments.count == 2 && arguments.first == "--port",
    let port = UInt16(arguments.last ?? "8090")
  else {
    print("usage: Replicas [--port NUMBER]     8090 unless given; 0 for any that is free")
    exit(2)
  }
  let world = try await World()
  do {
    try await world.begin()
    let server = try await WebServer(world, port: port)
    let serving = Task { try await server.run() }
    defer { serving.cancel() }
    let address = try await server.address()
    FileHandle.standardOutput.write(Data("Replicas at \(address) (Ctrl-C ends them)\n".utf8))
    await Signals.first(of: SIGINT, SIGTERM)
    await server.stop()
  } catch {
    await world.end()
    throw error
  }
  await world.end()
}
