import Foundation
import Strata
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server of ``CachedNote``s that gives keys and versions, and another client of it: a plain script.
///
/// Each of its feeds has a validator.
final class VersionedServer: Sendable {
  /// The answer to a request.
  enum Answer: Sendable {
    /// - Parameter note: the note as the server has it now; nil after a deletion.
    case done(CachedNote?)
    case later(Duration?)
    /// The version is another one (412), or the note exists (409).
    case differs(CachedNote?)
    case refused(String)
    /// The request was lost, or its answer.
    case lost
  }

  struct State: Sendable {
    var notes: [Int: CachedNote] = [:]
    /// The tags that the feed of tags shows.
    var tags: Set<Int> = []
    /// The tags of the notes.
    var tagged: [Int: Set<Int>] = [:]
    /// The notes of the comments.
    var comments: [Int: Int] = [:]
    var lastID = 1_000
    var lastValue = 0
    /// The notes that requests have made, by the identities of the requests.
    var made: [UUID: Int] = [:]
    var random: SplitMix64
    var isReliable = false
    /// The values that requests have brought, by the notes' own keys.
    var taken: [UUID: Set<String>] = [:]
    /// The requests that the server must never get.
    var complaints: [String] = []
  }

  private let state: Lock<State>

  init(seed: UInt64) { state = Lock(State(random: SplitMix64(seed: seed))) }

  func with<Result: Sendable>(_ body: @Sendable (inout State) -> Result) -> Result {
    state.withLock { body(&$0) }
  }

  var notes: [Int: CachedNote] { state.withLock { $0.notes } }

  var transport: HTTPTransport {
    HTTPTransport { [state] request in
      guard let url = request.url else { throw URLError(.badURL) }
      let body = Data(state.withLock { $0.feed(url.lastPathComponent) }.utf8)
      let tag = "\"\(body.checksum)\""
      let isKnown = request.value(forHTTPHeaderField: "If-None-Match") == tag
      guard
        let response = HTTPURLResponse(
          url: url, statusCode: isKnown ? 304 : 200, httpVersion: "HTTP/1.1",
          headerFields: ["ETag": tag, "Content-Length": "\(isKnown ? 0 : body.count)"])
      else { throw URLError(.badServerResponse) }
      return (
        response,
        AsyncThrowingStream { continuation in
          if !isKnown { continuation.yield(body) }
          continuation.finish()
        }
      )
    }
  }

  static func localID(_ number: Int) -> UUID? {
    UUID(uuidString: "00000000-0000-8000-8000-\(String(100_000_000_000 + number))")
  }
}

extension VersionedServer.State {
  /// Returns the records of a feed.
  fileprivate func feed(_ name: String) -> String {
    if name == "all" {
      let all = comments.sorted { $0.key < $1.key }
        .map { #"{"id":\#($0.key),"note":\#($0.value)}"# }
      return #"{"comments":[\#(all.joined(separator: ","))],"notes":\#(feed("notes"))}"#
    }
    let records =
      name == "tags"
      ? tags.sorted().map { #"{"id":\#($0)}"# }
      : notes.values.sorted { $0.id < $1.id }
        .map { $0.record(isWhole: name == "notes", tags: tagged[$0.id] ?? []) }
    return "[\(records.joined(separator: ","))]"
  }

  /// Lets the script edit the tags of a note, or show or hide a tag.
  mutating func editTags() -> String {
    let tag = 1 + random.below(4)
    let all = notes.keys.sorted()
    guard random.oneIn(2), let id = all.isEmpty ? nil : all[random.below(all.count)] else {
      if tags.remove(tag) == nil { tags.insert(tag) }
      return "shows the tags \(tags.sorted())"
    }
    if tagged[id, default: []].remove(tag) == nil { tagged[id, default: []].insert(tag) }
    return "gives \(id) the tags \(tagged[id, default: []].sorted())"
  }

  /// Lets the script make, move or remove a comment.
  private mutating func editComments() -> String {
    lastID += 1
    let (all, ids) = (comments.keys.sorted(), notes.keys.sorted())
    if ids.isEmpty { return "has no note for a comment" }
    let note = ids[random.below(ids.count)]
    let id = all.isEmpty || random.oneIn(2) ? lastID : all[random.below(all.count)]
    if comments[id] != nil && random.oneIn(2) {
      comments[id] = nil
      return "removes the comment \(id)"
    }
    comments[id] = note
    return "comments \(note) with \(id)"
  }

  /// Lets the script make, edit or remove a note.
  mutating func edit() -> String {
    if random.oneIn(4) { return editTags() }
    if random.oneIn(4) { return editComments() }
    lastValue += 1
    let (choice, part, number) = (random.below(6), random.below(3), 1 + random.below(6))
    let all = notes.values.sorted { $0.id < $1.id }
    let free = all.allSatisfy { $0.number != number } ? number : nil
    guard choice > 1, let old = all.isEmpty ? nil : all[random.below(all.count)] else {
      lastID += 1
      notes[lastID] = CachedNote(
        id: lastID, localID: VersionedServer.localID(50_000 + lastValue),
        title: "theirs \(lastValue)",
        text: "theirs", number: free, version: 1)
      return "makes \(lastID) with \(free ?? 0)"
    }
    if choice == 2 {
      remove(old.id)
      return "removes \(old.id)"
    }
    var note = old
    switch part {
    case 0: note.title = "theirs \(lastValue)"
    case 1: note.text = "theirs \(lastValue)"
    default: note.number = free == 6 && note.replyTo != nil ? nil : free
    }
    note.version += 1
    notes[old.id] = note
    return "edits \(old.id): \(note.values)"
  }

  private mutating func remove(_ id: Int) {
    notes[id] = nil
    tagged[id] = nil
    comments = comments.filter { $0.value != id }
    for (other, note) in notes where note.replyTo == id {
      notes[other]?.replyTo = nil
      notes[other]?.version += 1
    }
  }

  /// Applies a request, unless it is lost or postponed.
  mutating func answer(_ request: PushRequest) -> VersionedServer.Answer {
    let luck = isReliable ? 9 : random.below(10)
    if luck == 0 { return .lost }
    if luck == 1 { return .later(random.oneIn(2) ? .seconds(400) : nil) }
    let answer = apply(request)
    if case .done = answer, luck == 2 { return .lost }
    return answer
  }

  private mutating func apply(_ request: PushRequest) -> VersionedServer.Answer {
    if let link = request.link(of: CachedNote.tags) {
      // Only a deletion of a note removes links here.
      if request.kind == .delete { tagged[link.root]?.remove(link.target) }
      return .done(nil)
    }
    if let id = request.id(of: CachedComment.self) {
      // Only a deletion of a note removes comments here.
      if request.kind == .delete { comments[id] = nil }
      return .done(nil)
    }
    let before = request.before(as: CachedNote.self)
    switch request.change(of: CachedNote.self) {
    case .insert(let note)?:
      if let id = made[request.id], let known = notes[id] { return .done(known) }
      if let known = notes.values.first(where: { $0.localID == note.localID }) {
        return .differs(known)
      }
      if let reason = refusal(of: note, besides: nil) { return .refused(reason) }
      lastID += 1
      var made = note
      (made.id, made.version) = (lastID, 1)
      if note.replyTo == note.id { made.replyTo = lastID }
      notes[lastID] = made
      noteTaken(note.values, of: made)
      self.made[request.id] = lastID
      return .done(made)
    case .update(let note, let names)?:
      // A client that was not told the key asks for the note by its own.
      guard let old = notes[note.id] ?? notes.values.first(where: { $0.localID == note.localID })
      else { return .differs(nil) }
      if let before, before.version != old.version { return .differs(old) }
      var new = old
      if names.contains("title") { new.title = note.title }
      if names.contains("text") { new.text = note.text }
      if names.contains("number") { new.number = note.number }
      if names.contains("replyTo") { new.replyTo = note.replyTo == note.id ? old.id : note.replyTo }
      if let reason = refusal(of: new, besides: old.id) { return .refused(reason) }
      for name in names.sorted() where before != nil && before?.values[name] != nil {
        if before?.values[name] != old.values[name] {
          complaints.append(
            "\(name) of \(old.id) starts from \(before?.values[name] ?? ""), not \(old.values[name] ?? "")"
          )
        }
      }
      if new != old { new.version += 1 }
      noteTaken(note.values.filter { names.contains($0.key) }, of: old)
      notes[old.id] = new
      return .done(new)
    case .delete(let id)?:
      guard let old = notes[id] else { return .done(nil) }
      if let before, before.version != old.version { return .differs(old) }
      remove(id)
      return .done(nil)
    case nil: return .refused("another entity")
    }
  }

  /// Notes values that a request has brought.
  private mutating func noteTaken(_ values: [String: String], of note: CachedNote) {
    guard let localID = note.localID else { return }
    taken[localID, default: []].formUnion(values.map { "\($0.key) \($0.value)" })
  }

  /// Returns the reason for which a note cannot be stored.
  private func refusal(of note: CachedNote, besides id: Int?) -> String? {
    if note.title.contains("!") { return "no exclamations" }
    if !note.mayHaveNumber { return "the number 6 with a reply" }
    if let number = note.number,
      notes.values.contains(where: { $0.id != id && $0.number == number })
    {
      return "the number \(number) is taken"
    }
    if let reply = note.replyTo, reply != note.id, notes[reply] == nil { return "no such note" }
    return nil
  }
}
