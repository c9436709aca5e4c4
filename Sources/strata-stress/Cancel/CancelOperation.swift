import Foundation
import Strata
import StrataImport
import StrataMap

/// A suspending call of the library, and its effect on the store.
///
/// A second run leaves the same ledger.
struct CancelOperation: Sendable {
  /// The part of the effect that a cancelled call may leave.
  enum Part: Sendable {
    /// All of the effect, or nothing.
    case whole
    /// Any part of the notes, because the call may commit more than once.
    case someNotes
  }

  let name: String
  let part: Part
  /// Whether a call that is cancelled before it begins must throw.
  let mustThrow: Bool
  let effect: @Sendable (inout Ledger) -> Void
  let run: @Sendable (CancelSite) async throws -> Void

  init(
    _ name: String, part: Part = .whole, mustThrow: Bool = true,
    effect: @escaping @Sendable (inout Ledger) -> Void = { _ in },
    _ run: @escaping @Sendable (CancelSite) async throws -> Void
  ) {
    (self.name, self.part, self.mustThrow) = (name, part, mustThrow)
    (self.effect, self.run) = (effect, run)
  }

  static let all =
    reads + fetches + liveReads + streams + writes + imports + exports + lifetimes + places
    + feeds + migrations
}

/// The stack and the store that an operation works on.
struct CancelSite: Sendable {
  let stack: Stack
  /// The store's file.
  let store: URL
  /// A number that differs in each trial.
  let stamp: Int
}

/// The error of an operation that meets an unexpected result.
struct CancelSurprise: Error {
  let found: String

  static func unless(_ isRight: Bool, _ found: String) throws(CancelSurprise) {
    if !isRight { throw CancelSurprise(found: found) }
  }
}

extension CancelOperation {
  private static let accounts = FaultTemplate.accounts

  private static let reads: [CancelOperation] = [
    CancelOperation("stack.fetch") { site in
      let found = try await site.stack.fetch(Account.sorted(by: \.balance))
      try CancelSurprise.unless(found.count == accounts, "\(found.count) accounts")
      let count = try await site.stack.count(Account.where { $0.balance > 0 })
      try CancelSurprise.unless(count == accounts, "\(count) accounts")
      _ = try await site.stack.exists(Account.all)
    },
    CancelOperation("scratch.fetch") { site in
      let scratch = site.stack.makeScratch()
      scratch.insert(Account(id: 1000, owner: "new", balance: 1))
      let found = try await scratch.fetch(Account.sorted(by: \.balance))
      try CancelSurprise.unless(found.count == accounts + 1, "\(found.count) accounts")
      await scratch.refresh()
      let some = try await scratch.find(Account.self, [1, 1000])
      try CancelSurprise.unless(some.count == 2, "\(some.count) accounts")
    },
    CancelOperation("view.fetch") { @MainActor site in
      let found = try await site.stack.viewContext.fetch(Account.sorted(by: \.balance))
      try CancelSurprise.unless(found.count == accounts, "\(found.count) accounts")
    },
    CancelOperation("fetch with relationship") { site in
      let pairs = try await site.stack.fetch(Account.all, with: Account.branch)
      try CancelSurprise.unless(pairs.count == accounts, "\(pairs.count) pairs")
    },
    CancelOperation("fetch values") { site in
      let owners = try await site.stack.fetch(Account.all, \.owner)
      try CancelSurprise.unless(owners.count == accounts, "\(owners.count) owners")
      _ = try await site.stack.distinct(\Account.owner, of: Account.all)
      _ = try await site.stack.fetchKeys(Account.all)
      let sum = try await site.stack.fetch(.sum(\.balance), of: Account.all)
      try CancelSurprise.unless(sum == accounts * 1000, "\(sum) in all")
    },
    CancelOperation("batches") { site in
      var count = 0
      for try await batch in site.stack.batches(of: Account.all, size: 3) { count += batch.count }
      try CancelSurprise.unless(count == accounts, "\(count) accounts")
    },
    CancelOperation("raw SQL") { site in
      let found = try await site.stack.read("SELECT id FROM accounts", as: Int.self)
      try CancelSurprise.unless(found.count == accounts, "\(found.count) accounts")
      _ = try await site.stack.explain(Account.all)
    },
    CancelOperation("history") { site in
      var last: Int64 = 0
      for try await entry in site.stack.history(since: nil) { last = entry.token.commit }
      try CancelSurprise.unless(last >= 1, "\(last) commits")
    },
    CancelOperation("outbox.requests") { site in
      _ = try await site.stack.outbox().requests()
    },
  ]

  private static let liveReads: [CancelOperation] = [
    CancelOperation("live.load") { @MainActor site in
      let live = site.stack.viewContext.live(Account.sorted(by: \.balance).limit(5))
      try await live.waitUntilLoaded()
      try CancelSurprise.unless(live.elements.count == 5, "\(live.elements.count) elements")
      try await live.change(to: Account.where { $0.id < 7 })
      try CancelSurprise.unless(live.elements.count == 7, "\(live.elements.count) elements")
    },
    CancelOperation("live sections") { @MainActor site in
      let live = site.stack.viewContext.live(Account.all, sectionedBy: \.owner)
      try await live.waitUntilLoaded()
      try CancelSurprise.unless(live.sections.count == 7, "\(live.sections.count) sections")
    },
    CancelOperation("live value") { @MainActor site in
      let live = site.stack.viewContext.live(.sum(\.balance), of: Account.all)
      let sum = try await live.waitUntilLoaded()
      try CancelSurprise.unless(sum == accounts * 1000, "\(sum) in all")
    },
    CancelOperation("registry.drain") { @MainActor site in
      try await withRegistry(site, zoom: 20) { _ in }
    },
    CancelOperation("registry's answers") { @MainActor site in
      try await withRegistry(site, zoom: 0) { registry in
        let shown = await registry.displayed(for: 1)
        var (leaves, zoom): ([RecordKey], Int?) = ([], nil)
        if let shown {
          leaves = await registry.leaves(of: shown.id)
          zoom = await registry.expansionZoom(of: shown.id)
        }
        let revealed = await registry.reveal(1)
        try Task.checkCancellation()
        try CancelSurprise.unless(
          !leaves.isEmpty && zoom != nil && revealed != nil,
          "\(leaves.count) leaves, \(String(describing: zoom)), \(String(describing: revealed))")
      }
    },
  ]

  /// Runs `body` with the registry of a map that shows every account.
  @MainActor
  private static func withRegistry(
    _ site: CancelSite, zoom: Double,
    _ body: @MainActor (AnnotationRegistry<Account>) async throws -> Void
  ) async throws {
    let live = site.stack.viewContext.live(Account.all)
    try await live.waitUntilLoaded()
    let map = CountingMap()
    let registry = AnnotationRegistry(
      live, mapping: RegistryStress.pins, on: map, clusters: ClusterOptions())
    registry.show(GeoRegion(south: -90, west: -180, north: 90, east: 180), zoom: zoom)
    await registry.drain()
    try Task.checkCancellation()
    try CancelSurprise.unless(map.count > 0, "\(map.count) annotations")
    try await body(registry)
    registry.detach()
    // The registry does not retain the map.
    withExtendedLifetime(map) {}
  }

  private static let writes: [CancelOperation] = [
    CancelOperation("scratch.save", effect: { $0.notes.insert(1) }) { site in
      let scratch = site.stack.makeScratch()
      scratch.upsert(Note(id: 1, text: "one"))
      do { try await scratch.save() } catch StoreError.Code.cancelled where !scratch.hasChanges {
        throw CancelSurprise(found: "a cancelled save without its edits")
      }
    },
    CancelOperation("scratch.save of a child", effect: { $0.notes.insert(2) }) { site in
      let scratch = site.stack.makeScratch()
      let child = scratch.makeScratch()
      child.upsert(Note(id: 2, text: "two"))
      try await child.save()
      try await scratch.save()
    },
    CancelOperation(
      "withScratch",
      effect: { ledger in
        ledger.balances[0] = 1007
        ledger.balances[1] = 993
      }
    ) { site in
      try await site.stack.withScratch { scratch in
        let found = try await scratch.find(Account.self, [0, 1])
        try CancelSurprise.unless(found.count == 2, "\(found.count) accounts")
        if found[0].balance == 1007 { return }
        scratch.update(found[0]) { ($0.balance, $0.transfer) = ($0.balance + 7, 1) }
        scratch.update(found[1]) { ($0.balance, $0.transfer) = ($0.balance - 7, 1) }
      }
    },
    CancelOperation("view.save", effect: { $0.notes.insert(3) }) { @MainActor site in
      let view = site.stack.viewContext
      let query = Note.where { $0.id == 3 }
      if try await view.fetch(query).isEmpty { view.insert(Note(id: 3, text: "three")) }
      do { try await view.save() } catch {
        // The view shows the edit, whether it was saved or not.
        let found = try await Task { @MainActor in try await view.fetch(query) }.value
        try CancelSurprise.unless(found.count == 1, "no edit after a cancelled save")
        throw error
      }
    },
    CancelOperation("view.save of a child", effect: { $0.notes.insert(4) }) { @MainActor site in
      let child = site.stack.viewContext.makeScratch()
      child.upsert(Note(id: 4, text: "four"))
      try await child.save()
      try await site.stack.viewContext.save()
    },
    CancelOperation("merged", effect: { $0.notes.insert(5) }) { @MainActor site in
      let scratch = site.stack.makeScratch()
      scratch.upsert(Note(id: 5, text: "five"))
      let commit = try await scratch.save()
      try await site.stack.viewContext.waitUntilMerged(commit)
    },
    CancelOperation("freshness") { site in
      let entry = CacheEntry.feed("all")
      try await site.stack.markFresh(entry)
      _ = try await site.stack.isStale(entry, olderThan: .seconds(1))
      _ = try await site.stack.lastImported(entry)
      try await site.stack.forgetImport(of: entry)
      try await site.stack.forgetAllImports()
    },
    CancelOperation("freshness of a query") { site in
      try await site.stack.markFresh(Account.all)
      _ = try await site.stack.isStale(Account.all, olderThan: .seconds(1))
      let date = try await site.stack.lastImported(Account.all)
      try CancelSurprise.unless(date != nil, "a query that was never fresh")
      try await site.stack.forgetImport(of: Account.all)
    },
    CancelOperation("scratch.save that overwrites", effect: { $0.notes.insert(15) }) { site in
      let scratch = site.stack.makeScratch()
      scratch.upsert(Note(id: 15, text: "fifteen"))
      try await scratch.save(.overwrite)
    },
    CancelOperation("evict", effect: { $0.balances = $0.balances.filter { $0.key >= 15 } }) {
      site in
      _ = try await site.stack.evict(Eviction<Account>.beyond(newest: accounts - 15, by: \.id))
    },
    CancelOperation("outbox.push", effect: { $0.notes.insert(6) }) { site in
      let outbox = try await site.stack.outbox()
      try await site.stack.withScratch { $0.upsert(Note(id: 6, text: "six")) }
      _ = try await outbox.push { _ in
        await Task.yield()
        return .done
      }
      try await outbox.acknowledgeEverything()
    },
  ]

  private static let lifetimes: [CancelOperation] = [
    CancelOperation("open, save, close", effect: { $0.notes.insert(7) }) { site in
      var options = Stack.Options()
      options.history = .keep(for: .seconds(86_400))
      let stack = try await Stack.open(ChildProcess.entities, at: site.store, options: options)
      _ = try await stack.closing {
        let scratch = stack.makeScratch()
        scratch.upsert(Note(id: 7, text: "seven"))
        return try await scratch.save()
      }
    },
    // A resumption throws only if the view context has not caught up before.
    CancelOperation("suspend, resume", mustThrow: false) { site in
      await site.stack.suspend()
      do { try await site.stack.resume() } catch {
        try await Task.detached { try await site.stack.resume() }.value
        throw error
      }
    },
    CancelOperation("changes", effect: { $0.notes.insert(8) }) { site in
      let changes = site.stack.changes
      let scratch = site.stack.makeScratch()
      // The second run writes another value, because an equal row is no change.
      let found = try await scratch.find(Note.self, 8)
      scratch.upsert(Note(id: 8, text: "eight", deleter: (found?.deleter ?? site.stamp) + 1))
      try await scratch.save()
      for await change in changes where change.count > 0 { return }
      try Task.checkCancellation()
      throw CancelSurprise(found: "a stream that ends")
    },
  ]
}

extension Stack {
  /// Runs `body` and then closes the stack, even if `body` throws.
  func closing<R>(_ body: () async throws -> R) async throws -> R {
    let result: Result<R, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    await close()
    return try result.get()
  }
}

@MainActor
private final class CountingMap: AnnotationSurface {
  var count = 0
  func apply(_ operation: AnnotationOperation) { count += 1 }
}
