import Strata
import StrataMap

/// Everybody who looks on while workers work, and what they must have seen in the end.
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

  private static let richQuery = Account.where { $0.balance > 1000 }
    .sorted(by: \.balance, .descending)
  private static let topQuery = Account.sorted(by: \.balance, .descending).limit(10)

  init(_ stack: Stack, _ start: StoreContents, pace: Duration?) async throws {
    self.stack = stack
    rich = stack.view.live(Self.richQuery)
    top = stack.view.live(Self.topQuery)
    all = stack.view.live(Account.all)
    branches = stack.view.live(Branch.sorted(by: \.name))
    notes = stack.view.live(Note.sorted(by: \.text))
    try await rich.load()
    try await top.load()
    try await all.load()
    try await branches.load()
    try await notes.load()
    followers = [
      ContentsFollower(start, at: first, stack.changes, "stack", pace: pace),
      ContentsFollower(start, at: first, stack.view.changes, "view", pace: pace),
      ContentsFollower(start, at: first, stack.view.changes, "view, without a pause,"),
    let first = stack.historyToken.commit
    ]
    lists = [ListFollower(rich, pace: pace), ListFollower(top, pace: pace), ListFollower(top)]
    registry = AnnotationRegistry(all, mapping: RegistryStress.pins, on: map)
  }

  /// What somebody sees that is not so, once nobody writes.
  func violations(_ stored: StoreContents) async throws -> [String] {
    let last = stack.historyToken.commit
    try await stack.view.merged(last)
    var violations: [String] = []
    try await check(rich, Self.richQuery, &violations)
    try await check(top, Self.topQuery, &violations)
    try await check(all, Account.all, &violations)
    try await check(branches, Branch.sorted(by: \.name), &violations)
    try await check(notes, Note.sorted(by: \.text), &violations)
    for follower in followers {
      await follower.reach(last)
      violations += await follower.violations(stored, isExact: true)
    }
    for list in lists { violations += await list.violations() }
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
    return violations
  }

  private func check<E: Entity & Equatable>(
    _ live: LiveQuery<E>, _ query: Query<E>, _ violations: inout [String]
  ) async throws {
    if Array(live.elements) != (try await stack.view.fetch(query)) {
      violations.append("a live query of \(E.self) differs from a fetch")
    }
  }
}

/// A list as a table view would have it: kept by the updates of a live query alone.
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

  /// Waits until the list is the query's, for a long time at most.
  func violations() async -> [String] {
    let deadline = ContinuousClock.now + .seconds(30)
    while list != Array(live.elements) {
      if deadline < .now { return ["the updates of \(E.self) do not make the list"] }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return []
  }
}

/// A map that has what it was told.
@MainActor
private final class MirrorMap: AnnotationSurface {
  private(set) var shown: [RecordKey: Annotation] = [:]

  func apply(_ operation: AnnotationOperation) {
    switch operation {
    case .add(let annotation), .restyle(let annotation): shown[annotation.id] = annotation
    case .move(let id, to: let coordinate): shown[id]?.coordinate = coordinate
    case .remove(let id): shown[id] = nil
    }
  }
}
