import Foundation
import Strata
import StrataImport

// The pushes of a history, and the ends of its conflicts and refusals.

extension CacheHistory {
  private struct Lost: Error {}

  /// The way in which the app tells the store the server's answer.
  private enum Telling: CaseIterable {
    case nothing, key, answer, answerAndKey
  }

  func push() async throws {
    let telling = Telling.allCases[random.below(Telling.allCases.count)]
    // Nothing else happens in a push that is killed, because it may fail anywhere.
    let isKilled = armKill()
    let done = Lock<[PushRequest]>([])
    do {
      let result = try await outbox.push { [server, stack, kill] request in
        func tell(_ note: CachedNote) async throws {
          do {
            try await stack.importJSON(
              CachedNote.self, from: .data(Data("[\(note.record())]".utf8)),
              mapping: CachedNote.json)
          } catch let error as ImportError where error.storeError?.code == .uniquenessViolated {
            // The server has taken the number from a note that the next refresh deletes.
          }
        }
        // A refresh beside the request is no answer to it, so it is no child of its task.
        if !isKilled { try await Task.detached { try await self.workBesideRequest() }.value }
        if kill.isDead { throw Lost() }
        let answer = server.with { $0.answer(request) }
        if !isKilled { try await Task.detached { try await self.workBesideRequest() }.value }
        switch answer {
        case .lost: throw Lost()
        case .later(let delay): return .later(after: delay)
        case .refused(let reason): return .refused(reason)
        case .differs(let note):
          if let note, request.kind == .insert || telling == .answer { try await tell(note) }
          return .later
        case .done(let note):
          done.withLock { $0.append(request) }
          guard let note else { return .done }
          if telling == .answer || telling == .answerAndKey { try await tell(note) }
          return telling == .key || telling == .answerAndKey
            ? try request.done(as: CachedNote.self, id: note.id) : .done
        }
      }
      note("a push that tells \(telling): \(result)", "pushes")
    } catch is Lost {
      note("a push that tells \(telling) is lost", "lostPushes")
    } catch _ where kill.isDead {
      note("a push that tells \(telling) is killed", "killedPushes")
    }
    if isKilled { try await endKill() }
    for request in done.withLock({ $0 }) { acknowledge(request) }
    if !isSettling && random.oneIn(2) { return }
    for refusal in try await outbox.refusals() { try await end(refusal) }
  }

  /// Forgets the edits of a request that the server has done.
  private func acknowledge(_ request: PushRequest) {
    guard let localID = localID(of: request), let edit = mine[localID] else { return }
    guard var left = edit else {
      // A row that was deleted beside its insertion or update still waits to be deleted.
      if request.kind == .delete { mine[localID] = nil }
      return
    }
    guard let values = request.value(as: CachedNote.self)?.values else { return }
    for name in request.attributes where left[name] == values[name] { left[name] = nil }
    mine[localID] = left.isEmpty ? nil : .some(left)
  }

  /// Gives a refused edit up, repairs it, or leaves it.
  private func end(_ refusal: PushRefusal) async throws {
    guard let localID = localID(of: refusal.request) else { return }
    counts[refusal.isSetAside ? "aside" : "refusals", default: 0] += 1
    if !isSettling && random.oneIn(3) { return }
    if refusal.isSetAside, refusal.request.kind == .insert, random.oneIn(2),
      var row = refusal.request.value(as: CachedNote.self)
    {
      row.number = nil
      // The note to which it replies may be gone by now.
      let ids = try await rows().values.map(\.id)
      if let reply = row.replyTo, reply != row.id, !ids.contains(reply) { row.replyTo = nil }
      try await stack.withScratch { [row] in $0.upsert(row) }
      mine[localID] = row.values
      return note("\(row.id) comes back without its number", "repairs")
    }
    let before = try await rows()
    let isReverted: Bool
    do { isReverted = try await outbox.revert(refusal) } catch let error as StoreError
      where error.code == .uniquenessViolated
    {
      return try await makeRoom(error.keys)
    } catch let error as StoreError where error.code == .missingReference {
      // The note to which the server's row replies may be deleted there, too.
      do { try await outbox.retry(refusal) } catch let error as StoreError
        where [.uniquenessViolated, .validationFailed].contains(error.code)
      {
        return note("\(refusal.request.key) stays aside: \(error.message)", "staysAside")
      }
      return note("\(refusal.request.key) is sent again: \(error.message)", "retries")
    }
    note("the edit of \(refusal.request.key) is given up: \(isReverted)", "reverts")
    if isReverted {
      mine[localID] = nil
      restored.insert(localID)
    }
    // An edit that has taken the number of the server's row is given up, too.
    for (other, row) in try await rows()
    where before[other].map({ $0.number != row.number }) == true {
      mine[other]??["number"] = nil
    }
    try await noteRestored()
  }

  /// Forgets the deletions that were given up, because a row that is back replies to the note.
  private func noteRestored() async throws {
    let (rows, waiting) = (try await rows(), try await waiting())
    let targets = Set(rows.values.compactMap(\.replyTo))
    for (localID, edit) in mine where edit == nil && waiting[localID] == nil {
      if let row = rows[localID], targets.contains(row.id) { mine[localID] = nil }
    }
  }

  /// Takes the numbers of notes of the user away, because a server's row needs one of them.
  private func makeRoom(_ keys: [RecordKey]) async throws {
    let ids = keys.compactMap { $0.id(of: CachedNote.self) }
    for row in try await rows().values where ids.contains(row.id) && row.number != nil {
      guard let localID = row.localID else { continue }
      try await stack.withScratch { scratch in scratch.update(row) { $0.number = nil } }
      mine[localID, default: [:]]?["number"] = ""
      note("the user frees the number of \(row.id)", "freed")
    }
  }

  /// Resolves the conflicts.
  func endConflicts() async throws {
    for conflict in try await outbox.conflicts() {
      let policies: [SavePolicy] = [.mergeMine, .mergeTheirs, .overwrite, .discard]
      let policy = policies[random.below(4)]
      counts["conflicts", default: 0] += 1
      guard let sides = conflict.sides(of: CachedNote.self),
        let localID = sides.mine?.localID ?? sides.before?.localID
      else { continue }
      do {
        guard try await outbox.resolve(conflict, policy) else { continue }
      } catch let error as StoreError where error.code == .uniquenessViolated {
        try await makeRoom(error.keys)
        continue
      } catch let error as StoreError where error.code == .missingReference {
        note("\(conflict) waits for a push: \(error.message)", "unresolved")
        continue
      } catch let error as StoreError where error.code == .validationFailed {
        // Both sides together break a rule.
        note("\(conflict) is not resolved by \(policy): \(error.message)", "brokenTogether")
        if try await outbox.resolve(conflict, .discard) { mine[localID] = nil }
        continue
      }
      note("\(conflict) is resolved by \(policy)", "resolved")
      restored.insert(localID)
      switch policy {
      case .discard: mine[localID] = nil
      case .mergeTheirs where sides.mine == nil || sides.theirs == nil: mine[localID] = nil
      case .mergeTheirs: for name in conflict.attributes { mine[localID]??[name] = nil }
      case .mergeMine where sides.theirs == nil: mine[localID] = nil
      default: break
      }
      try await noteRestored()
    }
  }
}
