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
    await station.map.fly(balloons: 40, movesPerSecond: 80)
  }

  func host(named name: String) -> Host? { hosts.first { $0.name == name } }

  func end() async {
    for host in hosts + [station].compactMap(\.self) { await host.end() }
    cluster.remove()
  }
}
