import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Rows that come back after a deletion whose answer was lost.
///
/// The next request was the insertion alone. A server that had not got the deletion answered that it has
/// the row, and kept the old values. Another row's insertion with a unique value of the old row was
/// refused.
@Suite(.inTurn) struct RepeatedDeletionTests {
  private func open() async throws -> (Stack, Outbox) {
    let stack = try await Stack.temporary(Parcel.self, Crate.self)
    return (stack, try await stack.outbox())
  }

  private func lose(_ outbox: Outbox) async {
    await #expect(throws: Unreachable.self) { try await outbox.push { _ in throw Unreachable() } }
  }

  /// Opens a stack with crate 1 on the server, whose deletion here had no answer.
  private func openWithLostDeletion() async throws -> (Stack, Outbox) {
    let (stack, outbox) = try await open()
    try await stack.insert(Crate(id: 1, code: "a"))
    try await outbox.pushed()
    try await stack.delete(Crate.self, 1)
    await lose(outbox)
    return (stack, outbox)
  }

  @Test func `the deletion is sent once more, and the insertion after it`() async throws {
    let (stack, outbox) = try await openWithLostDeletion()
    try await stack.insert(Crate(id: 1, code: "b"), Crate(id: 2, code: "a"))
    try await stack.insert(Parcel(id: 1, crateID: 1))
    #expect(
      try await outbox.pushed()
        == ["delete Crate 1", "insert Crate 1", "insert Crate 2", "insert Parcel 1"])
    #expect(try await outbox.requests().isEmpty)
    await stack.close()
  }

  @Test func `the row is updated if the server refuses to delete it`() async throws {
    let (stack, outbox) = try await openWithLostDeletion()
    try await stack.insert(Crate(id: 1, code: "b"))
    let sent = Lock<[String]>([])
    try await outbox.push { request in
      sent.withLock { $0.append(request.text) }
      return request.kind == .delete ? .refused("no") : .done
    }
    #expect(sent.withLock(\.self) == ["delete Crate 1", "update Crate 1 code,id"])
    #expect(try await outbox.isEmpty())
    await stack.close()
  }

  /// The update that was lost has nothing to do with the deletion, which was never sent.
  @Test func `a row that comes back before its deletion is sent is updated`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Parcel(id: 1))
    try await outbox.pushed()
    try await stack.update(1) { $0.name = "lost" }
    await lose(outbox)
    try await stack.delete(Parcel.self, 1)
    try await stack.insert(Parcel(id: 1, name: "back"))
    #expect(try await outbox.pushed() == ["update Parcel 1 crateID,id,name,weight"])
    await stack.close()
  }

  /// The parcel may refer to any crate on the server, so its request came before each deletion of one.
  @Test func `a lost request that refers to the row comes after the row`() async throws {
    let (stack, outbox) = try await openWithLostDeletion()
    try await stack.insert(Crate(id: 1, code: "b"))
    try await stack.insert(Parcel(id: 1))
    await #expect(throws: Unreachable.self) {
      try await outbox.push { request in
        if request.kind == .delete { return .later }
        throw Unreachable()
      }
    }
    try await stack.update(1) { $0.crateID = 1 }
    #expect(
      try await outbox.pushed() == ["delete Crate 1", "insert Crate 1", "insert Parcel 1"])
    await stack.close()
  }

  @Test func `a unique value that a lost request may have taken comes free first`() async throws {
    let (stack, outbox) = try await open()
    try await stack.insert(Crate(id: 1, code: "a"))
    try await outbox.pushed()
    func edit(_ code: String) async throws {
      try await stack.withScratch { $0.upsert(Crate(id: 1, code: code)) }
    }
    try await edit("b")
    await lose(outbox)
    try await edit("c")
    try await stack.insert(Crate(id: 2, code: "b"))
    try await edit("d")
    #expect(try await outbox.pushed() == ["update Crate 1 code", "insert Crate 2"])
    await stack.close()
  }

  @Test(arguments: 0..<20)
  func `a strict server ends up with the rows after any losses`(_ seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let (stack, outbox) = try await open()
    let server = StrictServer()
    var lives = 0
    for _ in 0..<40 {
      if random.oneIn(3) {
        let luck = SeededRandom(seed: random.next())
        _ = try? await outbox.push { try server.answer($0, luck) }
        continue
      }
      lives += 1
      try await edit(stack, life: lives, &random)
    }
    for _ in 0..<2 { try await outbox.push { try server.answer($0, nil) } }
    #expect(try await outbox.isEmpty(), "seed \(seed)")
    let state = server.state.withLock(\.self)
    #expect(state.faults.isEmpty, "seed \(seed)")
    #expect(try await stack.fetch(Parcel.all) == state.parcels.values.sorted { $0.id < $1.id })
    #expect(try await stack.fetch(Crate.all) == state.crates.values.sorted { $0.id < $1.id })
    await stack.close()
  }

  /// Makes, edits or deletes a row; `life` tells the row from every other row with its key.
  private func edit(_ stack: Stack, life: Int, _ random: inout SeededRandom) async throws {
    let (id, isParcel, action) = (1 + random.below(2), random.oneIn(2), random.below(2))
    // With two codes that change hands, two crates could swap them, which no order of requests can do.
    let (code, crateID) = (random.oneIn(2) ? "shared" : "of \(life)", 1 + random.below(3))
    let scratch = stack.makeScratch()
    if isParcel {
      let hasCrate = try await scratch.find(Crate.self, crateID) != nil
      let reference = hasCrate ? crateID : nil
      if let parcel = try await scratch.find(Parcel.self, id) {
        if action == 0 {
          scratch.delete(parcel)
        } else {
          scratch.update(parcel) { ($0.name, $0.crateID) = ("edited \(life)", reference) }
        }
      } else {
        scratch.insert(Parcel(id: id, name: "new", weight: life, crateID: reference))
      }
    } else if let crate = try await scratch.find(Crate.self, id) {
      if action == 0 { scratch.delete(crate) } else { scratch.update(crate) { $0.code = code } }
    } else {
      scratch.insert(Crate(id: id, code: code))
    }
    do { try await scratch.save() } catch StoreError.Code.uniquenessViolated {}
  }
}

/// A server that refuses what breaks its rules, behind a network that loses requests and answers.
private final class StrictServer: Sendable {
  struct State: Sendable {
    var parcels: [Int: Parcel] = [:]
    var crates: [Int: Crate] = [:]
    /// The rows whose deletion has not arrived since it was sent first.
    var undeleted: Set<RecordKey> = []
    var faults: [String] = []
  }

  let state = Lock(State())

  /// - Parameter luck: decides what is lost; nil for a network without faults.
  func answer(_ request: PushRequest, _ luck: SeededRandom?) throws -> PushVerdict {
    var luck = luck
    if luck?.oneIn(3) == true {
      if request.kind == .delete { state.withLock { $0.lose(request) } }
      throw Unreachable()
    }
    state.withLock { $0.apply(request) }
    if luck?.oneIn(3) == true { throw Unreachable() }
    return .done
  }
}

extension StrictServer.State {
  private func key(_ request: PushRequest) -> RecordKey {
    RecordKey(.text("\(request.entity) \(request.key)"))
  }

  mutating func lose(_ request: PushRequest) {
    let isHere =
      request.id(of: Parcel.self).map { parcels[$0] != nil }
      ?? request.id(of: Crate.self).map { crates[$0] != nil } ?? false
    if isHere { undeleted.insert(key(request)) }
  }

  mutating func apply(_ request: PushRequest) {
    if request.kind == .insert && undeleted.contains(key(request)) {
      faults.append("\(request.text) over the row that was to be deleted")
    }
    if request.kind == .delete { undeleted.remove(key(request)) }
    if let id = request.id(of: Parcel.self) {
      parcels[id] = row(after: request, parcels[id], request.value(as: Parcel.self))
      if let crate = parcels[id]?.crateID, crates[crate] == nil {
        faults.append("\(request.text) refers to the crate \(crate)")
      }
    }
    if let id = request.id(of: Crate.self) {
      crates[id] = row(after: request, crates[id], request.value(as: Crate.self))
      if Set(crates.values.map(\.code)).count < crates.count {
        faults.append("\(request.text) has another crate's code")
      }
      if crates[id] != nil { return }
      for parcel in parcels.values where parcel.crateID == id { parcels[parcel.id]?.crateID = nil }
    }
  }

  private mutating func row<Row>(
    after request: PushRequest, _ old: Row?, _ new: Row?
  ) -> Row? {
    if request.kind == .update && old == nil { faults.append("\(request.text) of no row") }
    return request.kind == .delete || request.kind == .update && old == nil ? nil : new
  }
}
