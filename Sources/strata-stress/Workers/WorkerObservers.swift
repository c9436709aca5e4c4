import Foundation
import Strata
import StrataMap

/// The consumers of a run: live queries, streams, lists and maps.
///
/// In the end they must show the contents of the store.
@MainActor
final class WorkerObservers {
  private let stack: Stack
  private let rich: LiveQuery<Account>
  private let top: LiveQuery<Account>
  private let all: LiveQuery<Account>
  private let branches: LiveQuery<Branch>
  private let notes: LiveQuery<Note>
  private let followers: [ContentsFollower]
  private let lists: [ListFollower<Account>]
  private let map = MirrorMap()
  private let registry: AnnotationRegistry<Account>
  private let clusterMap = MirrorMap()
  private let clusters: AnnotationRegistry<Account>
  /// The zoom level of the map with clusters.
  private var zoom = 0
  private static let world = GeoRegion(south: -90, west: -180, north: 90, east: 180)

  private static let richQuery = Account.where { $0.balance > 1000 }
    .sorted(by: \.balance, order: .reverse)
  private static let topQuery = Account.sorted(by: \.balance, order: .reverse).limit(10)

  init(_ stack: Stack, _ start: StoreContents, pace: Duration?) async throws {
    self.stack = stack
    rich = stack.viewContext.live(Self.richQuery)
    top = stack.viewContext.live(Self.topQuery)
    all = stack.viewContext.live(Account.all)
    branches = stack.viewContext.live(Branch.sorted(by: \.name))
    notes = stack.viewContext.live(Note.sorted(by: \.text))
    try await rich.waitUntilLoaded()
    try await top.waitUntilLoaded()
    try await all.waitUntilLoaded()
    try await branches.waitUntilLoaded()
    try await notes.waitUntilLoaded()
    let first = stack.historyToken.commit
    followers = [
      ContentsFollower(start, at: first, stack.changes, "stack", pace: pace),
      ContentsFollower(start, at: first, stack.viewContext.changes, "view", pace: pace),
      ContentsFollower(start, at: first, stack.viewContext.changes, "view, without a pause,"),
    ]
    lists = [ListFollower(rich, pace: pace), ListFollower(top, pace: pace), ListFollower(top)]
    registry = AnnotationRegistry(all, mapping: RegistryStress.pins, on: map)
    clusters = AnnotationRegistry(
      all, mapping: RegistryStress.pins, on: clusterMap, clusters: ClusterOptions())
    showClusters()
  }

  private func showClusters() {
    zoom = (zoom + 3) % 14
    clusters.show(Self.world, zoom: Double(zoom))
  }

  /// Returns the differences between the consumers and the store after the last write.
  ///
  /// - Parameter begin: called with the name of each check.
  func violations(
    _ stored: StoreContents, begin: (String) -> Void
  ) async throws -> [String] {
    begin("the merge")
    let last = stack.historyToken.commit
    try await stack.viewContext.waitUntilMerged(last)
    var violations: [String] = []
    begin("the live queries")
    try await check(rich, Self.richQuery, &violations)
    try await check(top, Self.topQuery, &violations)
    try await check(all, Account.all, &violations)
    try await check(branches, Branch.sorted(by: \.name), &violations)
    try await check(notes, Note.sorted(by: \.text), &violations)
    begin("the changes")
    for follower in followers {
      await follower.reach(last)
      violations += await follower.violations(stored, isExact: true)
    }
    begin("the lists")
    for list in lists { violations += await list.violations() }
    begin("the map")
    await registry.drain()
    let accounts = Dictionary(
      uniqueKeysWithValues: all.elements.map { (RecordKey(.integer(Int64($0.id))), $0) })
    if Set(map.shown.keys) != Set(accounts.keys) {
      violations.append("the map shows other accounts than the query has")
    }
    for (key, annotation) in map.shown {
      guard let account = accounts[key] else { continue }
      if annotation.coordinate.latitude != account.latitude {
        violations.append("the map shows \(key) where it is not")
      }
      if annotation.title != account.owner {
        violations.append("the map calls \(key) \(annotation.title)")
      }
    }
    begin("the clusters")
    violations += await clusterViolations(accounts)
    return violations
  }

  /// Returns the violations of the clusters.
  ///
  /// The clusters must contain every account once. They must equal the clusters of a new registry,
  /// which has not seen the changes.
  private func clusterViolations(_ accounts: [RecordKey: Account]) async -> [String] {
    await clusters.drain()
    var violations: [String] = []
    var leaves: [RecordKey] = []
    for (key, annotation) in clusterMap.shown {
      let count = annotation.cluster?.count ?? 1
      let found = count == 1 ? [key] : await clusters.leaves(of: key, limit: .max)
      if found.count != count {
        violations.append("a cluster of \(count) has \(found.count) annotations")
      }
      leaves += found
    }
    if leaves.count != accounts.count || Set(leaves) != Set(accounts.keys) {
      violations.append("the clusters show \(leaves.count) of \(accounts.count) accounts")
    }
    let map = MirrorMap()
    let new = AnnotationRegistry(
      all, mapping: RegistryStress.pins, on: map, clusters: ClusterOptions())
    new.show(Self.world, zoom: Double(zoom))
    await new.drain()
    if clusterMap.summaries != map.summaries {
      violations.append("the clusters are not those of the accounts at zoom \(zoom)")
    }
    new.detach()
    showClusters()
    return violations
  }

  private func check<E: Entity & Equatable>(
    _ live: LiveQuery<E>, _ query: Query<E>, _ violations: inout [String]
  ) async throws {
    if Array(live.elements) != (try await stack.viewContext.fetch(query)) {
      violations.append("a live query of \(E.self) differs from a fetch")
    }
  }
}

/// A list like that of a table view, kept up to date by a live query's updates alone.
@MainActor
private final class ListFollower<E: Entity & Equatable> {
  private let live: LiveQuery<E>
  private let pace: Duration?
  private var list: [E]

  init(_ live: LiveQuery<E>, pace: Duration? = nil) {
    self.live = live
    self.pace = pace
    let updates = live.updates
    list = Array(live.elements)
    Task {
      for await update in updates {
        update.apply(to: &list)
        if let pace { try? await Task.sleep(for: pace) }
      }
    }
  }

  /// Waits until the list equals the live query's elements, for a quarter of the watchdog's
  /// patience.
  func violations() async -> [String] {
    let deadline = ContinuousClock.now + Watchdog.patience / 4
    while list != Array(live.elements) {
      if deadline < .now { return ["the updates of \(E.self) do not make the list"] }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return []
  }
}

/// A surface that keeps its annotations.
@MainActor
private final class MirrorMap: AnnotationSurface {
  private(set) var shown: [RecordKey: SurfaceAnnotation] = [:]

  struct Summary: Equatable {
    let coordinate: Coordinate
    let count: Int
  }

  /// The coordinate of each annotation, and the number of elements that it stands for.
  var summaries: [RecordKey: Summary] {
    shown.mapValues { Summary(coordinate: $0.coordinate, count: $0.cluster?.count ?? 1) }
  }

  func apply(_ operation: AnnotationOperation) {
    switch operation {
    case .add(let annotation), .restyle(let annotation): shown[annotation.id] = annotation
    case .move(let id, to: let coordinate): shown[id]?.coordinate = coordinate
    case .remove(let id): shown[id] = nil
    }
  }
}
