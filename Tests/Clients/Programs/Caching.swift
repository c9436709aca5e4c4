import Foundation
import Strata
import StrataImport

@MainActor func goToBackground(_ stack: Stack) async throws {
  if stack.viewContext.hasChanges { try await stack.viewContext.save() }
  await stack.suspend()
}

@MainActor func comeBack(_ stack: Stack) async {
  do {
    try await stack.resume()
  } catch StoreError.Code.replaced, StoreError.Code.schemaChanged {
    await stack.close()
  } catch {
    print("still suspended: \(stack.isSuspended), \(error)")
  }
}

extension Quake {
  static let recent = Quake.where { $0.magnitude > 2 }.sorted(by: \.time, order: .reverse)
  static let json = JSONMapping<Quake> {
    Field(\.id, "id")
    Field(\.place, "place")
  }
}

func refreshQuakes(_ stack: Stack, _ data: Data) async throws {
  guard try await stack.isStale(Quake.recent, olderThan: .seconds(300)) else { return }
  try await stack.importJSON(
    Quake.self, from: .data(data), mapping: Quake.json,
    marksFresh: [.query(Quake.recent), .feed("all-day")])
  let scratch = stack.makeScratch()
  scratch.upsert(Quake())
  try scratch.markFresh(Quake.recent)
  try await scratch.save()
  if let time = try await stack.lastImported(.feed("all-day")) { print(time) }
  try await stack.forgetImport(of: .feed("all-day"))
}

func dropOldQuakes(_ stack: Stack) async throws -> Int {
  let old = try await stack.evict(
    .older(than: .seconds(86_400), by: \Quake.time).where { $0.magnitude < 5 })
  let many = try await stack.evict(
    Eviction<Quake>.beyond(newest: 1_000, by: \.magnitude), referenced: .followDeleteRules)
  return old.evicted + many.evicted
}

nonisolated func cacheOptions() -> Stack.Options {
  var options = Stack.Options()
  options.ifUnreadable = .rebuild(keeping: 2, probe: .wholeFile)
  options.now = { Date(timeIntervalSinceReferenceDate: 0) }
  return options
}

func pushQuakes(_ stack: Stack) async throws -> Int {
  let outbox = try await stack.outbox(ignoring: ["import", "sync"])
  let result = try await outbox.push { request in
    guard let quake = request.value(as: Quake.self) else { return .refused("no quake") }
    if let body = try request.json(Quake.json) { print(body.count) }
    print(request.kind, quake.id, request.attributes)
    return .done
  }
  for refusal in try await outbox.refusals() {
    print(refusal.reason, try await outbox.revert(refusal), try await outbox.retry(refusal))
  }
  print(result.left, result.refused, result.retryAfter ?? .zero)
  print(try await outbox.requests().map(\.entity))
  try await outbox.acknowledgeEverything()
  return result.sent
}

func exportQuakes(_ stack: Stack, to url: URL) async throws -> Int {
  try await stack.exportJSON(Quake.recent, as: .lines, mapping: Quake.json) { print($0.count) }
  print(try await stack.exportJSON(Quake.recent, mapping: Quake.json).count)
  return try await stack.exportJSON(Quake.all, toFile: url)
}
