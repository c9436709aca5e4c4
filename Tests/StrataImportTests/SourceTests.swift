import Foundation
import Strata
import StrataImport
import StrataTesting
import StrataTestTurns
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct Song: Entity, Equatable {
  var id = 0
  var title = ""

  static let schema = Schema<Song>("songs", key: \.id) { Attribute(\.title) }
  static let json = JSONMapping<Song> {
    Field(\.id, "id")
    Field(\.title, "title")
  }
}

/// Forty songs, their JSON, and the same JSON compressed with gzip.
private let songs = (0..<40).map { Song(id: $0, title: "Song \($0 * 7)") }
private let feed = Data(
  "[\(songs.map { #"{"id":\#($0.id),"title":"\#($0.title)"}"# }.joined(separator: ","))]".utf8)
private let compressed = Data(
  base64Encoded:
    "H4sIAAAAAAACA2XTu0pEQRCE4VeRiTeYqp7b2dcwXMwUWRBNNhPfXUGYOlTHfzTfVN++y/21XOulPO6Pj7dy"
    + "Lc9fn+9Ptfxc/guszF1oBW2nsETs1Dytnbql6DsNS407TU/HTstSHzsdlkboxY4xTxqJQx5wkCUQuMghETjJ"
    + "IRK4CapQ4CqAWDBTFAxcBhQN3AYhHNb069IhUjzNJe2ly4fugyEgthQlxCQ0JcQktCTEJLQkxCR0SIguxCqh"
    + "qGn8EgqkKKFwIfJ0UummQkKRriokFC7EJqFwIXYJxUxRQuFCHBKKJDT/hF5+AS521uVuBAAA"
)!

/// A sequence of given elements that may end with an error.
private struct Pieces<Element: Sendable>: AsyncSequence, Sendable {
  let elements: [Element]
  var failure: (any Error)?

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Element>
    let failure: (any Error)?

    mutating func next() async throws -> Element? {
      if let element = rest.popFirst() { return element }
      if let failure { throw failure }
      return nil
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: elements[...], failure: failure) }
}

private func cut(_ data: Data, _ size: Int) -> Pieces<Data> {
  Pieces(
    elements: stride(from: 0, to: data.count, by: size).map {
      // The indices of a slice need not begin at 0.
      data[$0..<min(data.count, $0 + size)]
    })
}

@Suite(.inTurn, .stack(Song.self)) struct SourceTests {
  let stack = Stack.test

  private func importing(_ source: JSONSource) async throws -> [Song] {
    try await stack.withScratch { scratch in
      for song in try await scratch.fetch(Song.all) { scratch.delete(song) }
    }
    try await stack.importJSON(Song.self, from: source, mapping: Song.json)
    return try await stack.fetch(Song.all)
  }

  private func failure(_ source: JSONSource) async -> ImportError? {
    do {
      _ = try await importing(source)
      return nil
    } catch {
      return error as? ImportError
    }
  }

  @Test func `every source gives the same songs`() async throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).json")
    try feed.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try await importing(.data(feed)) == songs)
    #expect(try await importing(.file(file)) == songs)
    #expect(try await importing(.bytes(Pieces(elements: Array(feed)))) == songs)
    for size in [1, 7, 64, 5000] {
      #expect(try await importing(.chunks(cut(feed, size))) == songs)
    }
  }

  @Test func `an empty piece ends nothing`() async throws {
    let pieces = Pieces(elements: [Data(), feed.prefix(10), Data(), feed.dropFirst(10), Data()])
    #expect(try await importing(.chunks(pieces)) == songs)
  }

  @Test func `an error that a sequence of bytes throws is the underlying error`() async throws {
    struct Broken: Error {}
    let bytes = Pieces(elements: Array(feed.prefix(100)), failure: Broken())
    let error = try #require(await failure(.bytes(bytes)))
    #expect(error.code == .source)
    #expect(error.underlying is Broken)
  }

  // MARK: gzip

  @Test(arguments: [1, 2, 13, 10_000])
  func `gzip is read whatever the chunks`(size: Int) async throws {
    #expect(try await importing(.data(compressed).gunzipped()) == songs)
    #expect(try await importing(.chunks(cut(compressed, size)).gunzipped()) == songs)
  }

  @Test func `members of gzip are read as one`() async throws {
    let error = try #require(await failure(.data(compressed + compressed).gunzipped()))
    #expect(error.code == .syntax)
    #expect(error.offset == feed.count)
  }

  @Test func `gzip that is cut anywhere is truncated`() async throws {
    for count in 0..<compressed.count {
      let error = await failure(.data(compressed.prefix(count)).gunzipped())
      #expect(error?.code == .source, "cut at \(count)")
      #expect(error?.underlying as? GzipError == .truncated, "cut at \(count)")
    }
  }

  @Test func `gzip that is damaged anywhere gives the same songs or an error`() async throws {
    for index in compressed.indices {
      var damaged = compressed
      damaged[index] ^= 0x10
      do {
        #expect(try await importing(.data(damaged).gunzipped()) == songs)
        // Damage goes unnoticed only in the header's time and system, and in the padding of the
        // last byte of the data.
        #expect(4...9 ~= index || index == compressed.count - 9, "damaged at \(index)")
      } catch let error as ImportError {
        let isGzip = error.underlying is GzipError
        #expect(
          isGzip || error.code == .syntax || error.code == .invalidValue, "damaged at \(index)")
      }
    }
  }

  @Test func `bytes that are no gzip are refused`() async throws {
    let error = try #require(await failure(.data(feed).gunzipped()))
    #expect(error.underlying as? GzipError == .corrupt("incorrect header check"))
    #expect(
      await failure(.data(compressed + Data([1, 2, 3])).gunzipped())?.underlying is GzipError)
  }

  // MARK: Responses

  private func response(
    _ name: String, onResponse: (@Sendable (HTTPURLResponse) -> Void)? = nil
  ) throws -> JSONSource {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [FeedServer.self]
    let url = try #require(URL(string: "http://feed.test/\(name)"))
    return .response(
      to: URLRequest(url: url), transport: .urlSession(configuration), onResponse: onResponse)
  }

  @Test func `a response is read, its headers before`() async throws {
    let tags = AsyncStream<String?>.makeStream()
    let source = try response("songs") {
      tags.continuation.yield($0.value(forHTTPHeaderField: "ETag"))
    }
    #expect(try await importing(source) == songs)
    #expect(try await importing(try response("songs.gz").gunzipped()) == songs)
    var iterator = tags.stream.makeAsyncIterator()
    #expect(await iterator.next() == "\"1\"")
  }

  @Test(arguments: [304, 404, 500])
  func `a status that is no success is a typed error`(status: Int) async throws {
    let error = try #require(await failure(try response("\(status)")))
    #expect(error.code == .source)
    #expect((error.underlying as? HTTPStatusError)?.status == status)
  }

  @Test func `a connection that is lost is an error, and what came before is read`() async throws {
    let error = try #require(await failure(try response("lost")))
    #expect(error.code == .source)
    #expect((error.underlying as? URLError)?.code == .networkConnectionLost)
    #expect(error.result.records > 0)
  }

  @Test func `a response that never comes can be cancelled`() async throws {
    let source = try response("never")
    let stack = stack
    let task = Task {
      try await stack.importJSON(Song.self, from: source, mapping: Song.json)
    }
    var started = FeedServer.silence.stream.makeAsyncIterator()
    await started.next()
    task.cancel()
    do {
      _ = try await task.value
      Issue.record("not cancelled")
    } catch {
      #expect((error as? ImportError)?.code == .cancelled)
    }
  }

  /// On Linux, URLSession traps if a request is cancelled while it ends, while it waits for the
  /// answer to a redirection, or before it is read from a cache. Without precautions, one import in
  /// some hundreds would trap.
  @Test func `a response can be cancelled at any moment`() async throws {
    let server = try MisbehavingServer { request in
      switch request.path {
      case "/songs": ServerAnswer(headers: ["Cache-Control": "max-age=60"], body: feed)
      case "/cut": ServerAnswer(body: feed, fault: .cutWithLength)
      case "/moved": ServerAnswer(status: 302, headers: ["Location": "/songs"])
      case "/secret":
        ServerAnswer(status: 401, headers: ["WWW-Authenticate": "Bearer"], body: feed)
      default: ServerAnswer(status: 404, body: feed)
      }
    }
    var ends: [ImportError.Code?: Int] = [:]
    for trial in 0..<400 {
      let path = ["songs", "cut", "missing", "moved", "secret"][trial % 5]
      let url = server.url.appendingPathComponent(path)
      let stack = stack
      let task = Task.detached { () async -> ImportError.Code? in
        do {
          _ = try await stack.importJSON(
            Song.self, from: .response(to: URLRequest(url: url)), mapping: Song.json)
          return nil
        } catch { return (error as? ImportError)?.code }
      }
      // Five of every fifty requests are not cancelled. Two of them lead to the songs, and three
      // fail.
      if trial % 50 > 4 {
        for _ in 0..<Int.random(in: 0..<300) { await Task.yield() }
        task.cancel()
      }
      ends[await task.value, default: 0] += 1
    }
    #expect(ends[.cancelled, default: 0] > 0)
    #expect(ends[nil, default: 0] >= 16 && ends[.source, default: 0] >= 24)
    #expect(Set(ends.keys).isSubset(of: [nil, .source, .cancelled]))
  }

  /// On Linux, URLSession does not report such a response to its delegate. The response must not
  /// look like an empty feed.
  @Test func `a redirection to nowhere is no feed`() async throws {
    let server = try MisbehavingServer { _ in ServerAnswer(status: 302) }
    let error = await #expect(throws: ImportError.self) {
      try await stack.importJSON(
        Song.self, from: .response(to: URLRequest(url: server.url)), as: .lines, mapping: Song.json)
    }
    #expect((error?.underlying as? HTTPStatusError)?.status == 302)
  }

  /// On Linux, URLSession ignores the delegate's answer to a response. The transport must cancel
  /// the task, or the body of an error would go on arriving.
  @Test func `a response that is refused is not read on`() async throws {
    let server = try MisbehavingServer { _ in
      ServerAnswer(status: 500, body: String(repeating: " ", count: 9000), fault: .endless)
    }
    let error = try #require(await failure(.response(to: URLRequest(url: server.url))))
    #expect((error.underlying as? HTTPStatusError)?.status == 500)
    while server.endedAnswers == 0 { await Task.yield() }
  }
}

/// Answers requests without a network. The last part of the path selects the answer.
private final class FeedServer: URLProtocol {
  /// Yields an element for each request that is never answered.
  static let silence = AsyncStream<Void>.makeStream()

  override static func canInit(with request: URLRequest) -> Bool { true }
  override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func stopLoading() {}

  override func startLoading() {
    guard let url = request.url else { return }
    guard url.lastPathComponent != "never" else {
      Self.silence.continuation.yield()
      return
    }
    let name = url.lastPathComponent
    let body = name == "songs.gz" ? compressed : feed
    let response = HTTPURLResponse(
      url: url, statusCode: Int(name) ?? 200, httpVersion: "HTTP/1.1",
      headerFields: ["ETag": "\"1\"", "Content-Length": "\(body.count)"])
    guard let response else { return }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    if name == "lost" {
      client?.urlProtocol(self, didLoad: body.prefix(200))
      client?.urlProtocol(self, didFailWithError: URLError(.networkConnectionLost))
    } else {
      for start in stride(from: 0, to: body.count, by: 50) {
        client?.urlProtocol(self, didLoad: Data(body.dropFirst(start).prefix(50)))
      }
      client?.urlProtocolDidFinishLoading(self)
    }
  }
}
