import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private func json(_ ids: some Sequence<Int>, name: String = "Ada") -> String {
  "[" + ids.map { #"{"id": \#($0), "name": "\#(name)"}"# }.joined(separator: ",") + "]"
}

/// Returns a page with a tag, or status 304 if the request has the tag.
private func tagged(_ request: URLRequest, _ tag: String, _ body: String) -> TestServer.Answer {
  if request.value(forHTTPHeaderField: "If-None-Match") == tag { return .init(status: 304) }
  return .init(headers: ["ETag": tag], body: body)
}

@Suite(.inTurn, .stack(Author.self)) struct RefresherTests {
  let stack = Stack.test
  let clock = ManualClock(skippingSleeps: true)

  private func refresher(
    _ server: TestServer, retries: RetryPolicy = RetryPolicy(jitter: 0)
  ) -> Refresher {
    Refresher(stack, transport: .urlSession(server.configuration), retries: retries, clock: clock)
  }

  private func feed(
    _ server: TestServer, _ path: String = "authors", absent: AbsentRows = .keep
  ) throws -> Feed {
    Feed(
      "authors", Author.self, from: try server.request(path), mapping: Author.json, absent: absent)
  }

  private func ids() async throws -> [Int] { try await stack.fetch(Author.all).map(\.id).sorted() }

  @Test func `the view has the rows of the server after a refresh`() async throws {
    let server = TestServer { _, _ in .init(body: json(1...3)) }
    var feed = try feed(server)
    feed.marksFresh = [.query(Author.all)]
    let result = try await refresher(server).refresh(feed)
    guard case .imported(let imported) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(imported.inserted == 3)
    #expect(try await stack.viewContext.count(Author.all) == 3)
    #expect(try await stack.lastImported(.feed("authors")) != nil)
    #expect(try await stack.lastImported(Author.all) != nil)
  }

  // MARK: Freshness and validators

  @Test func `a feed that is young enough is not asked for`() async throws {
    let server = TestServer { _, _ in .init(body: json(1...1)) }
    let (refresher, feed) = (refresher(server), try feed(server))
    try await refresher.refresh(feed, ifOlderThan: .seconds(1_000_000))
    #expect(try await refresher.refresh(feed, ifOlderThan: .seconds(1_000_000)) == .fresh)
    #expect(server.requests.count == 1)
    try await refresher.refresh(feed, ifOlderThan: .zero)
    #expect(server.requests.count == 2)
  }

  @Test func `a server that has nothing new sends nothing`() async throws {
    let server = TestServer { request, _ in tagged(request, "\"1\"", json(1...3)) }
    let feed = try feed(server)
    try await refresher(server).refresh(feed)
    // The store keeps the validator, so a new refresher has it, too.
    let before = try await stack.lastImported(.feed("authors"))
    #expect(try await refresher(server).refresh(feed) == .notModified)
    #expect(server.requests.last?.value(forHTTPHeaderField: "If-None-Match") == "\"1\"")
    let (old, new) = (try #require(before), try await stack.lastImported(.feed("authors")))
    #expect(try #require(new) > old)
    #expect(try await ids() == [1, 2, 3])
  }

  @Test func `a server without tags is asked by date`() async throws {
    let date = "Sat, 21 Nov 2026 10:00:00 GMT"
    let server = TestServer { request, _ in
      request.value(forHTTPHeaderField: "If-Modified-Since") == date
        ? .init(status: 304) : .init(headers: ["Last-Modified": date], body: json(1...2))
    }
    let feed = try feed(server)
    try await refresher(server).refresh(feed)
    #expect(try await refresher(server).refresh(feed) == .notModified)
  }

  @Test func `a feed whose import was forgotten is asked for whole`() async throws {
    let server = TestServer { request, _ in tagged(request, "\"1\"", json(1...3)) }
    let feed = try feed(server)
    let refresher = refresher(server)
    try await refresher.refresh(feed)
    try await stack.forgetImport(of: .feed("authors"))
    #expect(try await refresher.refresh(feed) != .notModified)
    try await stack.forgetAllImports()
    #expect(try await refresher.refresh(feed) != .notModified)
    #expect(try await refresher.refresh(feed) == .notModified)
  }

  @Test func `rows that were evicted are asked for again`() async throws {
    let server = TestServer { request, _ in tagged(request, "\"1\"", json(1...3)) }
    let feed = try feed(server)
    let refresher = refresher(server)
    try await refresher.refresh(feed)
    // This eviction removes no rows, so the validator stays.
    _ = try await stack.evict(.beyond(newest: 10, by: \Author.id))
    #expect(try await refresher.refresh(feed) == .notModified)
    _ = try await stack.evict(.beyond(newest: 1, by: \Author.id))
    #expect(try await ids() == [3])
    try await refresher.refresh(feed)
    #expect(try await ids() == [1, 2, 3])
  }

  @Test func `rows that are evicted during an import are asked for again`() async throws {
    let gate = TestGate()
    let server = TestServer { request, _ in
      var answer = tagged(request, "\"\(request.url?.query ?? "")\"", json(1...1))
      if request.url?.query == "page=2" { (answer.body, answer.gate) = (json(2...2), gate) }
      return answer
    }
    var feed = try feed(server, "authors?page=1")
    feed.options.batchSize = 1
    feed.paging = .next { $0.number == 1 ? $0.request(with: ["page": "2"]) : nil }
    let (refresher, first) = (refresher(server), feed)
    let task = Task { try await refresher.refresh(first) }
    await gate.waitForArrivals()
    var changes = stack.changes.makeAsyncIterator()
    while try await stack.count(Author.all) == 0 { _ = await changes.next() }
    _ = try await stack.evict(.beyond(newest: 0, by: \Author.id))
    await gate.open()
    _ = try await task.value
    #expect(try await ids() == [2])
    #expect(try await refresher.refresh(feed) != .notModified)
    #expect(try await ids() == [1, 2])
  }

  @Test func `another mapping of the same feed is asked for whole`() async throws {
    let server = TestServer { request, _ in tagged(request, "\"1\"", json(1...3)) }
    let refresher = refresher(server)
    try await refresher.refresh(try feed(server))
    let other = Feed(
      "authors", Author.self, from: try server.request("authors"),
      mapping: JSONMapping { Field(\.id, "id") })
    #expect(try await refresher.refresh(other) != .notModified)
  }

  @Test func `an import that fails halfway leaves nothing to compare with`() async throws {
    let server = TestServer { request, _ in tagged(request, "\"1\"", json(1...1)) }
    let (refresher, feed) = (refresher(server), try feed(server))
    try await refresher.refresh(feed)
    server.answer { _, _ in .init(headers: ["ETag": "\"2\""], body: #"[{"id": 7}, "?"]"#) }
    await #expect(throws: ImportError.self) { try await refresher.refresh(feed) }
    // The server has the first version again, but the store may have rows of the second version.
    server.answer { request, _ in tagged(request, "\"1\"", json(1...1)) }
    #expect(try await refresher.refresh(feed) != .notModified)
  }

  // MARK: Failures

  @Test func `a failure that may pass is tried again, later and later`() async throws {
    let server = TestServer { _, number in
      number < 4 ? .init(status: 503) : .init(body: json(1...2))
    }
    try await refresher(server).refresh(try feed(server))
    #expect(try await ids() == [1, 2])
    #expect(clock.sleeps == [.milliseconds(500), .seconds(1), .seconds(2)])
  }

  @Test func `the last failure is told`() async throws {
    let server = TestServer { _, _ in .init(status: 503) }
    let error = await #expect(throws: ImportError.self) {
      try await refresher(server, retries: RetryPolicy(limit: 2)).refresh(try feed(server))
    }
    #expect((error?.underlying as? HTTPStatusError)?.status == 503)
    #expect(server.requests.count == 3)
  }

  /// A delay that is doubled before it is limited overflows after 62 failures.
  @Test func `a server that is down for long is asked at the longest interval`() async throws {
    let server = TestServer { _, _ in .init(status: 503) }
    var retries = RetryPolicy(limit: 70, firstDelay: .seconds(60), jitter: 0)
    retries.longestDelay = .seconds(100)
    _ = await #expect(throws: ImportError.self) {
      try await refresher(server, retries: retries).refresh(try feed(server))
    }
    #expect(clock.sleeps == [.seconds(60)] + Array(repeating: .seconds(100), count: 69))
    let error = ImportError.source(URLError(.timedOut))
    retries.longestDelay = .seconds(Int64.max)
    #expect(try #require(retries.delay(after: 70, error)) > .seconds(Int64.max / 2))
    retries.jitter = .nan
    #expect(retries.delay(after: 1, error) == .seconds(60))
  }

  @Test(arguments: [400, 401, 404, 410])
  func `a failure that will not pass is not tried again`(status: Int) async throws {
    let server = TestServer { _, _ in .init(status: status) }
    let error = await #expect(throws: ImportError.self) {
      try await refresher(server).refresh(try feed(server))
    }
    #expect((error?.underlying as? HTTPStatusError)?.status == status)
    #expect(server.requests.count == 1)
  }

  @Test func `a server that says when to come back is believed within limits`() async throws {
    let server = TestServer { _, number in
      switch number {
      case 1: .init(status: 429, headers: ["Retry-After": "7"])
      case 2: .init(status: 429, headers: ["Retry-After": "100000"])
      default: .init(body: json(1...1))
      }
    }
    try await refresher(server).refresh(try feed(server))
    #expect(clock.sleeps == [.seconds(7), .seconds(30)])
  }

  @Test func `a connection that breaks begins anew`() async throws {
    let server = TestServer { _, number in .init(body: json(1...400), breaks: number < 3) }
    try await refresher(server).refresh(try feed(server, absent: .delete))
    #expect(try await ids() == Array(1...400))
    #expect(clock.sleeps.count == 2)
  }

  // MARK: Callers

  @Test func `callers who come together share one request`() async throws {
    let gate = TestGate()
    let server = TestServer { _, _ in .init(body: json(1...3), gate: gate) }
    let (refresher, feed) = (refresher(server), try feed(server))
    let tasks = (0..<20).map { _ in Task { try await refresher.refresh(feed) } }
    await gate.waitForArrivals()
    await refresher.waiting(20, for: "authors")
    await gate.open()
    var results: Set<RefreshResult> = []
    for task in tasks { results.insert(try await task.value) }
    #expect(results.count == 1)
    #expect(server.requests.count == 1)
  }

  @Test func `a cancelled caller leaves a shared request, and the last caller ends it`()
    async throws
  {
    let gate = TestGate()
    let server = TestServer { _, _ in .init(body: json(1...3), gate: gate) }
    let (refresher, feed) = (refresher(server), try feed(server))
    let (first, second) = (
      Task { try await refresher.refresh(feed) }, Task { try await refresher.refresh(feed) }
    )
    await refresher.waiting(2, for: "authors")
    first.cancel()
    await #expect(throws: ImportError.self) { try await first.value }
    await gate.open()
    #expect(try await second.value != .notModified)

    let closed = TestGate()
    server.answer { _, _ in .init(body: json(4...4), gate: closed) }
    let third = Task { try await refresher.refresh(feed) }
    await refresher.waiting(1, for: "authors")
    await closed.waitForArrivals()
    third.cancel()
    let error = await #expect(throws: ImportError.self) { try await third.value }
    #expect(error?.code == .cancelled)
    // The next refresh does not wait for the cancelled request.
    server.answer { _, _ in .init(body: json(5...5)) }
    try await refresher.refresh(feed)
    #expect(try await ids() == [1, 2, 3, 5])
  }

  @Test func `a caller that was cancelled before the refresh makes no request`() async throws {
    let server = TestServer { _, _ in .init(body: json(1...3)) }
    let (refresher, feed) = (refresher(server), try feed(server))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await refresher.refresh(feed)
    }
    let error = await #expect(throws: ImportError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(server.requests.isEmpty)
  }

  @Test func `every caller's monitor is told, and ends`() async throws {
    let gate = TestGate()
    let server = TestServer { _, number in
      .init(body: json(1...3), breaks: number == 1, gate: gate)
    }
    let (refresher, feed) = (refresher(server), try feed(server))
    let monitors = [ImportMonitor(), ImportMonitor()]
    let tasks = monitors.map { monitor in
      Task { try await refresher.refresh(feed, monitor: monitor) }
    }
    await refresher.waiting(2, for: "authors")
    await gate.open()
    for task in tasks { _ = try await task.value }
    for monitor in monitors {
      var last = ImportProgress()
      for await progress in monitor.updates { last = progress }
      #expect(last.result.inserted == 3 || last.result.unchanged > 0)
      #expect(monitor.progress.result.records == 3)
    }
  }

  @Test func `a monitor is told of every attempt`() async throws {
    let server = TestServer { _, number in
      number == 1 ? .init(body: json(1...400), breaks: true) : .init(body: json(1...5))
    }
    var feed = try feed(server)
    feed.options.batchSize = 10
    let monitor = ImportMonitor()
    try await refresher(server).refresh(feed, monitor: monitor)
    #expect(monitor.progress.result.records == 5)
  }

  // MARK: Pages

  /// Returns the requested page of authors, with a link to the next page in its header.
  private static func pages(_ request: URLRequest, _ pages: [[Int]]) -> TestServer.Answer {
    let components = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
    let page = components?.queryItems?.first { $0.name == "page" }?.value.flatMap(Int.init) ?? 1
    var answer = tagged(request, "\"\(pages[page - 1])\"", json(pages[page - 1]))
    if page < pages.count && answer.status == 200 {
      answer.headers["Link"] =
        #"<http://other.test/?page=1>; rel="first", </authors?page=\#(page + 1)>; rel="next""#
    }
    return answer
  }

  @Test func `pages are read to the last, and only then rows are absent`() async throws {
    try await stack.withScratch { $0.insert(Author(id: 99, name: "Old")) }
    let server = TestServer { request, _ in Self.pages(request, [[1, 2], [3, 4], [5]]) }
    var feed = try feed(server, absent: .delete)
    feed.paging = .linkHeader
    try await refresher(server).refresh(feed)
    #expect(try await ids() == [1, 2, 3, 4, 5])
    // The refresher requests all pages once more, to check that no page changed meanwhile.
    let paths = ["/authors", "/authors?page=2", "/authors?page=3"]
    #expect(server.paths == paths + paths)
    #expect(try await refresher(server).refresh(feed) == .notModified)
    #expect(server.requests.count == 9)
  }

  @Test func `pages that have not changed are left out`() async throws {
    let server = TestServer { request, _ in Self.pages(request, [[1, 2], [3, 4], [5, 6]]) }
    var feed = try feed(server)
    feed.paging = .linkHeader
    let refresher = refresher(server)
    try await refresher.refresh(feed)
    server.answer { request, _ in Self.pages(request, [[1, 2], [3, 7], [5, 6], [8]]) }
    guard case .imported(let result) = try await refresher.refresh(feed) else {
      Issue.record("not imported")
      return
    }
    // The third page was the last page when it was read, and its answer 304 has no link.
    #expect(result.records == 2 && result.inserted == 1)
    #expect(try await ids() == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test func `a feed that deletes absent rows reads all of its pages if one has changed`()
    async throws
  {
    let server = TestServer { request, _ in Self.pages(request, [[1, 2], [3, 4], [5, 6]]) }
    var feed = try feed(server, absent: .delete)
    feed.paging = .linkHeader
    let refresher = refresher(server)
    try await refresher.refresh(feed)
    server.answer { request, _ in Self.pages(request, [[1, 2], [3, 4], [5]]) }
    guard case .imported(let result) = try await refresher.refresh(feed) else {
      Issue.record("not imported")
      return
    }
    #expect(result.records == 5 && result.deleted == 1)
    #expect(try await ids() == [1, 2, 3, 4, 5])
  }

  @Test func `a closure says where the next page is`() async throws {
    let server = TestServer { request, _ in
      switch request.url?.query ?? "" {
      case "size=2": .init(body: json(1...2))
      case "size=2&after=2": .init(body: json(3...4))
      default: .init(body: "[]")
      }
    }
    var feed = try feed(server, "authors?size=2")
    feed.paging = .next { page in
      page.records < 2 ? nil : page.request(with: ["after": "\(page.number * 2)"])
    }
    try await refresher(server).refresh(feed)
    #expect(try await ids() == [1, 2, 3, 4])
    #expect(server.requests.count == 3)
  }

  @Test func `a failure on a page asks for that page again`() async throws {
    let server = TestServer { request, number in
      number == 2 ? .init(status: 502) : Self.pages(request, [[1, 2], [3, 4]])
    }
    var feed = try feed(server)
    feed.paging = .linkHeader
    try await refresher(server).refresh(feed)
    #expect(try await ids() == [1, 2, 3, 4])
    #expect(server.paths == ["/authors", "/authors?page=2", "/authors?page=2"])
  }

  @Test func `pages that lead back are an error`() async throws {
    let server = TestServer { _, _ in
      .init(headers: ["Link": #"</authors>; rel="next""#], body: json(1...1))
    }
    var feed = try feed(server)
    feed.paging = .linkHeader
    let error = await #expect(throws: ImportError.self) {
      try await refresher(server).refresh(feed)
    }
    #expect(error?.underlying is PagingError)
    #expect(server.requests.count == 1)
  }
}

@Suite(.inTurn) struct LinkHeaderTests {
  @Test(
    arguments: [
      (#"<https://a.test/?page=2>; rel="next""#, "https://a.test/?page=2"),
      (#"</1>; rel=prev, </3>;rel=next"#, "/3"),
      (#"</1,2;3>; title="a, b; rel=\"next\""; rel="last NEXT""#, "/1,2;3"),
      (#"</1>; rel="last"; rel="next""#, nil),
      (#"</1>; rel="nexts""#, nil),
      (#"</1>; rel="""#, nil),
      (#" , </1>;rel=prev ,, </2>; rel = next ; title*=UTF-8''x, "#, "/2"),
      ("", nil),
    ] as [(String, String?)])
  func `the next page is found`(header: String, target: String?) throws {
    #expect(try LinkHeader.target(of: "next", in: header, of: nil) == target)
  }

  /// A link with an anchor may be a link of something else (RFC 8288, 3.2).
  @Test(
    arguments: [
      (##"</2>; rel="next"; anchor="#foo""##, nil),
      (#"</2>; rel="next"; anchor="/other""#, nil),
      (#"</2>; rel="next"; anchor="https://b.test/songs""#, nil),
      (#"</2>; rel="next"; anchor="""#, "/2"),
      (#"</2>; anchor="https://a.test/songs"; rel="next""#, "/2"),
      (#"</2>; rel="next"; anchor="/songs""#, "/2"),
      (##"</2>; rel="next"; anchor="#foo", </3>; rel="next""##, "/3"),
    ] as [(String, String?)])
  func `a link of something else is not the page's`(header: String, target: String?) throws {
    let page = try #require(URL(string: "https://a.test/songs"))
    #expect(try LinkHeader.target(of: "next", in: header, of: page) == target)
  }

  /// The page of an unreadable header must not count as the last page. The rows of the other pages
  /// would be deleted as absent.
  @Test(
    arguments: [
      #"</1"#, #"</2; rel="next""#, #"/2; rel="next""#, #"</2>; rel="next"#, #"</2> rel="next""#,
      #"</1>; rel="prev", next"#, "next", #"</2>; rel="next" </3>"#, "</2>", "</2>; rel='next'",
      "</1>; rel=prev, </2>",
    ])
  func `a header that is no list of links is an error`(header: String) {
    #expect(throws: PagingError.unreadableLink(header)) {
      try LinkHeader.target(of: "next", in: header, of: nil)
    }
  }
}
