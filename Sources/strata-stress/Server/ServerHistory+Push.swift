import Foundation
import Strata
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The pushes of a history, and the refusals of the server.

extension ServerHistory {
  /// Returns the keys of the notes with requests in the outbox, including refused requests.
  func waiting() async throws -> Set<Int> {
    let requests = try await outbox.requests() + outbox.refusals().map(\.request)
    return Set(requests.compactMap { $0.id(of: SharedNote.self) })
  }

  func push() async throws {
    let before = edits.waiting
    let isKilled = armKill()
    let verdicts = Lock<[(id: Int, verdict: PushVerdict)]>([])
    let unasked = Lock<[Int]>([])
    let wrong = Lock<[String]>([])
    openDeletions.withLock { $0.beginPush() }
    // The user goes on editing while the server is asked.
    var editing: Task<(id: Int, edit: LocalEdit?), any Error>?
    if !isKilled, !isSettling, random.oneIn(3) {
      editing = Task { try await self.edit() }
      counts["editsInPushes", default: 0] += 1
    }
    let isCancelled = !isKilled && !isSettling && random.oneIn(6)
    let pushing = Task { [outbox, server, kill, openDeletions] in
      try await outbox.push { request in
        let isRepeated = openDeletions.withLock { open in
          request.id(of: SharedNote.self).map { open.isRepeated(request, $0, before[$0]) } ?? false
        }
        let known = openDeletions.withLock { open in
          request.kind == .delete ? request.id(of: SharedNote.self).flatMap { open.send($0) } : nil
        }
        if kill.isDead { throw URLError(.networkConnectionLost) }
        if let folder = request.id(of: Folder.self) {
          try await server.pause()
          guard let verdict = server.with({ $0.add(folder: folder) }) else {
            throw URLError(.networkConnectionLost)
          }
          return verdict
        }
        guard let id = request.id(of: SharedNote.self) else { return .refused("no key") }
        if !openDeletions.withLock({ $0.allows(request, id) }) {
          wrong.withLock { $0.append("\(id) as \(request), before its deletion was answered") }
        }
        // The outbox must not send an acknowledged edit again before the row is edited again.
        if before[id] == nil || verdicts.withLock({ $0.contains { $0.id == id } }) {
          unasked.withLock { $0.append(id) }
        }
        // A row that is edited meanwhile is compared at the end, with the server's.
        if let edit = before[id], !isRepeated, !edit.isSent(by: request) {
          wrong.withLock { $0.append("\(id) as \(request), not \(edit)") }
        }
        let (kind, names) = (request.kind, request.attributes)
        let row = kind == .delete ? nil : request.value(as: SharedNote.self)
        if let folder = row?.folderID, !server.folders.contains(folder) {
          wrong.withLock { $0.append("to the folder \(folder), which the server lacks") }
        }
        let note = row?.shared
        try await server.pause()
        guard let verdict = server.with({ $0.apply(kind, id, note, names) }) else {
          throw URLError(.networkConnectionLost)
        }
        try await server.pause()
        if kind == .delete { openDeletions.withLock { $0.note(id, verdict, known: known) } }
        // The user's edit is sent after the repeated deletion.
        if !isRepeated { verdicts.withLock { $0.append((id, verdict)) } }
        return verdict
      }
    }
    if isCancelled { await cancel(pushing) }
    do {
      note("a push: \(try await pushing.value)", "pushes")
    } catch is URLError {
      note("a push is lost", "lostPushes")
    } catch let error as StoreError where kill.isDead {
      note("a push is killed: \(error.code)", "killedPushes")
    } catch  where isCancelled && Self.isCancellation(error) {
      note("a push is cancelled", "cancelledPushes")
    }
    edits.loseAnswers()
    let meanwhile = try await editing?.value
    if isKilled { try await endKill() }
    if isKilled || isCancelled { openDeletions.withLock { $0.doubt(before) } }
    let seen = verdicts.withLock { $0 }
    log.add("verdicts \(seen)")
    let waiting = try await waiting()
    // A killed process or a cancelled push may not have stored the last answers.
    for (id, verdict) in seen where verdict == .done && id != meanwhile?.id {
      if !isKilled && !isCancelled || !waiting.contains(id) { edits.acknowledge(id) }
    }
    if let (id, edit) = meanwhile, let all = edits.waiting[id] {
      if waiting.contains(id) {
        // The server has the edits from before the push.
        if seen.contains(where: { $0 == (id, .done) }), let edit {
          edits.acknowledge(id, before[id], butNot: edit)
        }
      } else {
        let found = server.notes[id]
        // An insertion that the server has not made, and its deletion, leave nothing to push. The
        // server may have a note of its own with the same key.
        let isUnmade = edit == .deleted && seen.contains { $0.id == id && $0.verdict != .done }
        // Beside a refresh the server may have edited the note itself since.
        let isChanged = isRefreshing && server.with { $0.ownEdits.contains(id) }
        try require(
          isUnmade || isChanged || all.isContained(in: found),
          "\(id) does not wait, and the server has \(found as Any)")
        if isUnmade { edits.giveUp(id) } else { edits.acknowledge(id) }
      }
    }
    // The server's row has told that an earlier request has arrived.
    for (id, edit) in edits.waiting
    where !waiting.contains(id) {
      if edit.isContained(in: server.notes[id]) { edits.acknowledge(id) }
      // It had arrived, and the server has removed the note since.
      if seen.contains(where: { $0 == (id, .refused("gone")) }) { edits.giveUp(id) }
    }
    let ids = Set(edits.waiting.keys)
    try require(waiting == ids, "\(waiting.sorted()) wait, not \(ids.sorted())")
    let unaskedIDs = unasked.withLock { $0 }.filter { $0 != meanwhile?.id }
    try require(unaskedIDs.isEmpty, "sent unasked: \(unaskedIDs)")
    let wrongs = wrong.withLock { $0 }.filter { text in
      meanwhile.map { !text.hasPrefix("\($0.id) ") } ?? true
    }
    try require(wrongs.isEmpty, "sent wrongly: \(wrongs)")
    for refusal in try await outbox.refusals() { try await end(refusal) }
  }

  /// Reverts a refused edit, replaces it, or leaves it.
  func end(_ refusal: PushRefusal) async throws {
    guard let id = refusal.request.id(of: SharedNote.self) else { return }
    counts["refusals", default: 0] += 1
    edits.refuse(id)
    switch isSettling ? 0 : random.below(3) {
    case 0:
      try require(try await outbox.revert(refusal), "the refusal of \(id) is not given up")
      note("the edit of \(id) is given up", "reverts")
      edits.giveUp(id)
    case 1:
      guard let row = try await rows()[id] else { return }
      let edit = newEdit()
      note("the user makes \(id) \(edit) instead", "edits")
      _ = try await save(edit, of: row, id, usesScratch: true)
    default: return
    }
  }
}
