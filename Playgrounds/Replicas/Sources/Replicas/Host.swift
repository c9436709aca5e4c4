import Foundation
import LiveMapServer
import LocalPostgres
import Strata
import StrataPostgres
import StrataReplica

/// A store that follows the server under a role of its own, and the pages that show the store.
@MainActor final class Host {
  let name: String
  let replica: Replica
  let map: MapHost
  private let stack: Stack
  private let cable: Cable
  private var address = ""
  private var refused: [RefusedChange] = []
  private var conflicts: [Report.Conflict] = []
  private var following: [Task<Void, Never>] = []

  init(_ name: String, _ cluster: PostgresCluster) async throws {
    self.name = name
    try cluster.query(
      """
      CREATE ROLE \(name) LOGIN;
      GRANT strata_client TO \(name);
      GRANT SELECT, INSERT, UPDATE, DELETE ON sightings TO \(name)
      """)
    cable = try Cable(of: name, to: cluster)
    stack = try await Stack.temporary(Sighting.self)
    replica = try await Replica.open(
      stack, from: .postgres("host=\(cable.folder.path) user=\(name) dbname=postgres"))
    map = try MapHost(stack, isQuiet: true)
    following = [
      Task { [weak self, updates = replica.monitor.updates] in
        for await state in updates { await self?.show(state) }
      },
      Task { [weak self, conflicts = replica.conflicts] in
        for await conflict in conflicts { await self?.show(conflict) }
      },
    ]
  }

  func serve() async throws { address = try await map.serve(port: 0) ?? "" }

  func end() async {
    await replica.close()
    following.forEach { $0.cancel() }
    await map.end()
    cable.remove()
  }

  // MARK: - What happens

  private func show(_ state: ReplicaState) async {
    refused = state.refused == 0 ? [] : (try? await replica.refused()) ?? refused
  }

  private func show(_ conflict: Conflict) async {
    guard let sides = conflict.sides(of: Sighting.self), conflict.attributes.contains("note")
    else { return }
    conflicts.append(
      Report.Conflict(
        place: (sides.mine ?? sides.theirs)?.place ?? "Somewhere", mine: sides.mine?.note,
        theirs: sides.theirs?.note))
  }

  var report: Report {
    let state = replica.monitor.current
    return Report(
      name: name, address: address, isPlugged: cable.isPlugged, phase: state.phase.words,
      waiting: state.waiting, conflicts: conflicts,
      refused: refused.map { change in
        let sighting = change.request.value(as: Sighting.self)
        return Report.Refusal(
          id: sighting?.id ?? "", place: sighting?.place ?? "Somewhere", note: sighting?.note ?? "",
          reason: change.constraint ?? change.message)
      })
  }

  // MARK: - Edits of a person

  func setPlugged(_ isPlugged: Bool) throws {
    if !isPlugged { return try cable.unplug() }
    try cable.plug()
    // Without this, the next attempt may be half a minute away.
    Task { try? await replica.caughtUp() }
  }

  func revert(_ id: String) async throws {
    for change in refused where change.request.id(of: Sighting.self) == id {
      try await replica.revert(change)
    }
  }
}

extension ReplicaState.Phase {
  fileprivate var words: String {
    switch self {
    case .connecting: "connecting"
    case .copying(let rows): "copying, \(rows) rows"
    case .live: "live"
    case .offline: "offline"
    }
  }
}
