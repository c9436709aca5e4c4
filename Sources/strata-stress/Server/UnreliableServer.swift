import Foundation
import Strata
import StrataImport
import StrataSimulation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server of notes without a network.
///
/// A seed decides which of its answers go wrong. In a simulation it also decides how late they are.
final class UnreliableServer: Sendable {
  /// A fault of an answer.
  enum Fault: Int, CaseIterable {
    case partialContent, noContent, tooManyRequests, brokenServer, lostRequest, brokenBody, cutBody
    case decodedBody, htmlPage, emptyBody, brokenLink, shiftingPages
  }

  struct Note: Sendable, Equatable {
    var title: String
    var text: String
  }

  struct State: Sendable {
    var notes: [Int: Note] = [:]
    var folders: Set<Int> = []
    /// The notes that have existed without a break since a caller filled the set.
    var lasting: Set<Int> = []
    /// The notes that the server itself edited since a caller emptied the set.
    var ownEdits: Set<Int> = []
    var random: SplitMix64
    var isReliable = false
    var isLines = false
    /// The number of notes on a page; nil for a single page.
    var pageSize: Int?
    var hasValidators = true
    var faults: [Fault: Int] = [:]
  }

  private struct Broken: Error {}

  private let state: Lock<State>

  init(seed: UInt64) { state = Lock(State(random: SplitMix64(seed: seed))) }

  func with<Result: Sendable>(_ body: @Sendable (inout State) -> Result) -> Result {
    state.withLock { body(&$0) }
  }

  var notes: [Int: Note] { state.withLock { $0.notes } }
  var folders: Set<Int> { state.withLock { $0.folders } }

  var transport: HTTPTransport {
    HTTPTransport { [self] request in
      try await pause()
      let answer = try state.withLock { state in Result { try state.answer(request) } }.get()
      try await pause()
      return answer
    }
  }

  /// Waits for a random time that a message may be under way in a simulation.
  func pause() async throws { try await Self.pause(with { $0.random.below(400) }) }

  /// Waits for some milliseconds of a simulation.
  fileprivate static func pause(_ milliseconds: Int) async throws {
    if Simulation.isRunning { try await Task.sleep(for: .milliseconds(milliseconds)) }
  }
}

extension UnreliableServer.State {
  fileprivate typealias Body = AsyncThrowingStream<Data, any Error>

  /// Returns the number of failures since a count, all of which may pass; nil if others happened.
  func faults(since old: [UnreliableServer.Fault: Int]) -> Int? {
    let new = faults.filter { $0.value > old[$0.key, default: 0] }
    let passing: Set<UnreliableServer.Fault> = [.tooManyRequests, .brokenServer, .lostRequest]
    guard passing.isSuperset(of: new.keys) else { return nil }
    return new.reduce(0) { $0 + $1.value - old[$1.key, default: 0] }
  }

  /// Adds, changes or removes a note.
  mutating func edit() {
    let id = 1 + random.below(12)
    let (isRemoval, part, value) = (random.oneIn(4), random.below(3), random.below(1_000))
    ownEdits.insert(id)
    if isRemoval {
      notes[id] = nil
      lasting.remove(id)
      return
    }
    var note = notes[id] ?? UnreliableServer.Note(title: "server", text: "server")
    if part != 0 { note.title = "server \(value)" }
    if part != 1 { note.text = "server \(value)" }
    notes[id] = note
  }

  fileprivate mutating func answer(
    _ request: URLRequest
  ) throws -> (response: HTTPURLResponse, body: Body) {
    let fault = isReliable || random.oneIn(2) ? nil : random.pick(UnreliableServer.Fault.allCases)
    if let fault { faults[fault, default: 0] += 1 }
    if fault == .lostRequest { throw URLError(.cannotConnectToHost) }
    let (page, isLast) = page(of: request)
    if fault == .shiftingPages { edit() }
    var body = page
    var fields = ["Content-Length": "\(body.count)"]
    if !isLast.isEmpty { fields["Link"] = isLast }
    if hasValidators { fields["ETag"] = "\"\(body.checksum)\"" }
    if hasValidators, request.value(forHTTPHeaderField: "If-None-Match") == fields["ETag"] {
      return try respond(request, 304, fields, Data())
    }
    var status = 200
    var ends: (any Error)?
    switch fault {
    case nil, .lostRequest, .shiftingPages: break
    case .partialContent: (status, body) = (206, half(body))
    case .noContent: (status, body) = (204, Data())
    case .tooManyRequests: (status, body) = (429, Data())
    case .brokenServer: (status, body) = (500, Data("oops".utf8))
    case .brokenBody: (body, ends) = (half(body), URLError(.networkConnectionLost))
    case .cutBody:
      fields["Content-Length"] = nil
      body = half(body)
    case .decodedBody:
      fields["Content-Encoding"] = "gzip"
      body = half(body)
    case .htmlPage: body = Data("<html>\n</html>\n".utf8)
    case .emptyBody: body = Data()
    case .brokenLink: fields["Link"] = "</notes?page=2; rel=next"
    }
    return try respond(request, status, fields, body, ends: ends)
  }

  /// Returns the body of the requested page, and the `Link` to the next page.
  private func page(of request: URLRequest) -> (body: Data, link: String) {
    let number = Int(request.url?.query?.dropFirst("page=".count) ?? "1") ?? 1
    let all = notes.sorted { $0.key < $1.key }
    let size = pageSize ?? max(1, all.count)
    let rows = all.dropFirst((number - 1) * size).prefix(size)
    let records = rows.map {
      #"{"id":\#($0.key),"title":"\#($0.value.title)","text":"\#($0.value.text)"}"#
    }
    let text =
      isLines
      ? records.map { $0 + "\n" }.joined() : "[" + records.joined(separator: ",\n") + "]"
    let isLast = number * size >= all.count
    return (Data(text.utf8), isLast ? "" : "</notes?page=\(number + 1)>; rel=\"next\"")
  }

  /// Returns about half of a body, cut at the end of a line.
  ///
  /// A cut is hardest to notice there.
  private func half(_ body: Data) -> Data {
    let half = body.prefix(body.count / 2)
    return half.lastIndex(of: UInt8(ascii: "\n")).map { body.prefix(through: $0) } ?? half
  }

  private mutating func respond(
    _ request: URLRequest, _ status: Int, _ fields: [String: String], _ body: Data,
    ends error: (any Error)? = nil
  ) throws -> (response: HTTPURLResponse, body: Body) {
    var chunks: [Data] = []
    var rest = body
    while !rest.isEmpty {
      let count = 1 + random.below(rest.count)
      chunks.append(Data(rest.prefix(count)))
      rest = Data(rest.dropFirst(count))
    }
    guard let url = request.url,
      let response = HTTPURLResponse(
        url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
    else { throw URLError(.badServerResponse) }
    let parts = chunks.map { (chunk: $0, pause: random.below(100)) }
    let stream = Body { continuation in
      let sending = Task {
        for part in parts {
          try await UnreliableServer.pause(part.pause)
          continuation.yield(part.chunk)
        }
        continuation.finish(throwing: error)
      }
      continuation.onTermination = { _ in sending.cancel() }
    }
    return (response, stream)
  }

  /// Takes a pushed folder.
  ///
  /// - Returns: the verdict, or nil if the request or its answer is lost.
  mutating func add(folder id: Int) -> PushVerdict? {
    let luck = isReliable ? 9 : random.below(10)
    if luck == 0 { return nil }
    if luck == 1 { return .later }
    folders.insert(id)
    return luck == 2 ? nil : .done
  }

  /// Applies a pushed edit by the rules of the server.
  ///
  /// - Parameters:
  ///   - note: the note after the edit; nil for a deletion.
  ///   - attributes: the attributes that an update changes.
  /// - Returns: the verdict, or nil if the request or its answer is lost.
  mutating func apply(
    _ kind: PushRequest.Kind, _ id: Int, _ note: UnreliableServer.Note?, _ attributes: Set<String>
  ) -> PushVerdict? {
    let luck = isReliable ? 9 : random.below(10)
    if luck == 0 { return nil }
    if luck == 1 { return .later }
    let verdict: PushVerdict
    switch (kind, note) {
    case (_, let note?) where note.title.contains("!"): verdict = .refused("no exclamations")
    case (.update, let note?):
      if attributes.contains("title") { notes[id]?.title = note.title }
      if attributes.contains("text") { notes[id]?.text = note.text }
      verdict = notes[id] == nil ? .refused("gone") : .done
    case (_, let note):
      if note == nil { lasting.remove(id) }
      notes[id] = note
      verdict = .done
    }
    return luck == 2 && verdict == .done ? nil : verdict
  }
}

extension Data {
  /// A hash of all bytes (FNV-1a).
  var checksum: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}
