import LiveMapServer
import LocalPostgres
import StrataPostgres
import StrataReplica

/// A PostgreSQL of its own, two hosts with a page, and a host without one that brings the news.
@MainActor final class World {
  let cluster: PostgresCluster
  private(set) var hosts: [Host] = []
  private var station: Host?

  /// Starts a PostgreSQL, and prepares it for sightings whose notes have at most 40 letters.
  init() async throws {
    cluster = try PostgresCluster()
    do {
      try await StrataPostgres.prepare(cluster.target, for: [Sighting.self])
      try cluster.query(
        "ALTER TABLE sightings ADD CONSTRAINT a_note_is_short CHECK (length(note) <= 40)")
    } catch {
      cluster.remove()
      throw error
    }
  }

  func begin() async throws {
    let station = try await Host("station", cluster)
    self.station = station
    try await station.map.importQuakes()
    try await station.replica.settled()
    for name in ["north", "south"] {
      let host = try await Host(name, cluster)
      hosts.append(host)
      try await host.serve()
    }
    for host in hosts {
      host.writer = { [weak self, weak host] note, id in
        let other = self?.hosts.first { $0 !== host && $0.notes[id]?.sighting.note == note }
        return other?.name
      }
    }
    await station.map.fly(balloons: 40, movesPerSecond: 80)
  }

  /// The station follows the server without a break, so it has the server's rows.
  func report() async -> Report {
    Report(rows: await station?.rowCount ?? 0, hosts: hosts.map { $0.report() })
  }

  func host(named name: String) -> Host? { hosts.first { $0.name == name } }

  func end() async {
    for host in hosts + [station].compactMap(\.self) { await host.end() }
    cluster.remove()
  }
}
