import Foundation
import GRDB

extension Peer {
  /// Returns GRDB as a peer, with one kind of record.
  static func grdb<R: GRDBRecord>(_: R.Type) -> Peer {
    Peer(name: R.peerName) { bench, metric in
      if let each = UpsertCase(rawValue: metric) { return GRDBWrites<R>(bench).upsert(each) }
      switch metric {
      case "insert ms": return GRDBWrites<R>(bench).insert()
      case "queued, µs a commit": return try await GRDBWrites<R>(bench).commits()
      case "µs a commit": return GRDBWrites<R>(bench).besideReader()
      case "against JSONDecoder, ms": return try GRDBWrites<R>(bench).importing()
      case "fetch ms": return try await GRDBReads<R>(bench).all()
      case "2,000 pages, view ms": return try await GRDBReads<R>(bench).pages()
      case "100,000 in one call ms": return try await GRDBReads<R>(bench).byKey()
      case "artists with songs ms": return try await GRDBReads<R>(bench).related()
      case "100k rows, commit → value p50 µs":
        return try await GRDBObservation<R>(bench, songs: 100_000).one(changes: 20)
      case "1k rows, commit → value p50 µs":
        return try await GRDBObservation<R>(bench, songs: 1_000).one(changes: 200)
      case "first 1k of 100k, commit → value p50 µs":
        return try await GRDBObservation<R>(bench, songs: 100_000, limit: 1_000).one(changes: 200)
      case "CPU µs a change, beyond the commit":
        return try await GRDBObservation<R>(bench, songs: 100_000, limit: 1_000).unconcerned()
      case "save call → all ten p50 µs":
        return try await GRDBObservation<R>(bench, songs: 1_000).ten()
      default: return nil
      }
    }
  }
}

/// Opens a pool over a store file, set up as in GRDB's documentation.
@MainActor
func openPool(_ url: URL) throws -> DatabasePool {
  var configuration = Configuration()
  configuration.prepareDatabase { database in
    try database.execute(sql: "PRAGMA synchronous = NORMAL")
  }
  return try DatabasePool(path: url.path, configuration: configuration)
}
