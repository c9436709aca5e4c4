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
  let notes: OwnNotes
  /// The name of the host whose page has written a note, if it is not this one.
  var writer: @MainActor (_ note: String, _ id: String) -> String? = { _, _ in nil }
  private let stack: Stack
  private let cable: Cable
  private var address = ""
  private var refused: [RefusedChange] = []
  private var following: [Task<Void, Never>] = []

  /// The rules of the server, by the names of their constraints.
  static let rules = ["a_note_is_short": "it is longer than 40 letters"]
  /// The number of notes in a report.
  private static let mostNotes = 3

  init(_ name: String, _ cluster: PostgresCluster) async throws {
    self.name = name
    try cluster.query(
      """
      CREATE ROLE \(name) LOGIN;
      GRANT strata_client TO \(name);
      GRANT SELECT, INSERT, UPDATE, DELETE ON sightings TO \(name)
      """)
    cable = try Cable(of: name, to: cluster)
    var options = Stack.Options()
    options.history = .keep(bytes: 4_000_000)
    stack = try await Stack.temporary(Sighting.self, options: options)
    replica = try await Replica.open(
      stack, from: .postgres("host=\(cable.folder.path) user=\(name) dbname=postgres"))
    map = try MapHost(stack, isQuiet: true)
    notes = OwnNotes(stack)
    map.badge = { [weak self] in self?.badge(of: $0) }
    following = [
      Task { [weak self, updates = replica.monitor.updates] in
        for await state in updates { await self?.show(state) }
      },
      Task { [weak self, conflicts = replica.conflicts] in
        for await conflict in conflicts { self?.show(conflict) }
      },
      Task { [weak self, notes] in
        try? await notes.follow { self?.confirmSoon() }
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

  /// The number of rows of the store.
  var rowCount: Int {
    get async { (try? await stack.makeScratch().count(Sighting.all)) ?? 0 }
  }

  // MARK: - What happens

  private func show(_ state: ReplicaState) async {
    refused = state.refused == 0 ? [] : (try? await replica.refused()) ?? refused
    if case .live = state.phase, notes.all.contains(where: { !$0.isConfirmed }) { confirmSoon() }
  }

  private func show(_ conflict: Conflict) {
    guard let sides = conflict.sides(of: Sighting.self), conflict.attributes.contains("note"),
      let mine = sides.mine, let theirs = sides.theirs
    else { return }
    notes.win(mine.id, over: theirs.note)
  }

  /// Notes that the server has the notes, once it has them. Without a cable nothing is noted, and the
  /// next state of the replica calls again.
  private func confirmSoon() {
    let written = notes.all
    Task { if (try? await replica.settled()) != nil { notes.confirm(written) } }
  }

  // MARK: - What is shown

  func report() -> Report.Host {
    let state = replica.monitor.current
    return Report.Host(
      name: name, address: address, isPlugged: cable.isPlugged, phase: state.phase.words,
      waiting: state.waiting, refused: state.refused,
      notes: notes.all.reversed().prefix(Self.mostNotes).map { note in
        let badge = self.badge(of: note.sighting) ?? RowBadge(.waits, "waits")
        return Report.Note(
          id: note.sighting.id, place: note.sighting.place ?? "Somewhere",
          note: note.sighting.note, state: badge.kind, text: words(for: badge, note))
      })
  }

  /// The badge of a row with a note of this host.
  private func badge(of sighting: Sighting) -> RowBadge? {
    let status = replica.monitor.status(of: sighting)
    guard let note = notes[sighting.id] else { return nil }
    switch status {
    case .refused: return RowBadge(.refused, "refused")
    case .waiting: return RowBadge(.waits, "waits")
    case .settled:
      if let replacement = note.replacement {
        let writer = self.writer(replacement.note, replacement.id) ?? "another host"
        let theirs = replacement.note.isEmpty ? "empty note" : "“\(replacement.note)”"
        return RowBadge(.replaced, "\(writer.capitalized)’s \(theirs) replaced yours")
      }
      return note.isConfirmed
        ? RowBadge(.settled, "everybody has it") : RowBadge(.waits, "waits")
    }
  }

  /// The badge in more words.
  private func words(for badge: RowBadge, _ note: OwnNotes.Note) -> String {
    switch badge.kind {
    case .refused:
      let change = refused.first { $0.request.id(of: Sighting.self) == note.sighting.id }
      guard let change else { return badge.text }
      let reason = change.constraint.flatMap { Self.rules[$0] } ?? change.message
      return "refused: \(reason)"
    case .settled:
      guard let replaced = note.replaced else { return badge.text }
      let writer = self.writer(replaced, note.sighting.id) ?? "another host"
      return "\(badge.text). It replaced \(writer.capitalized)’s “\(replaced)”"
    case .waits, .replaced: return badge.text
    }
  }

  // MARK: - Edits of a person

  func setPlugged(_ isPlugged: Bool) throws {
    if !isPlugged { return try cable.unplug() }
    try cable.plug()
    // Without this, the next attempt may be half a minute away.
    Task { try? await replica.caughtUp() }
  }

  /// Writes a note on one of the strongest quakes.
  ///
  /// - Parameter rank: 0 for the strongest.
  func write(_ note: String, rank: Int) async throws {
    let quakes = try await map.strongest(rank + 1)
    if let quake = quakes.last { try await map.write(note, on: quake.id) }
  }

  /// Gives up a refused note: the row gets the server's note.
  func revert(_ id: String) async throws {
    notes.forget(id)
    for change in refused where change.request.id(of: Sighting.self) == id {
      try await replica.revert(change)
    }
  }

  /// Writes a replaced note again.
  func restore(_ id: String) async throws {
    if let note = notes[id] { try await map.write(note.sighting.note, on: id) }
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
