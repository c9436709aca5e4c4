import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct Slot: Entity {
  var id = 0
  var number = 0

  static let schema = Schema<Slot>("slots", key: \.id) { Attribute(\.number).unique() }
}

/// Checks the table of the article, and that faults of a server delete no rows that the server has.
@Suite(.inTurn, .stack(Author.self)) struct WhenAbsenceDeletesTests {
  let stack = Stack.test

  // MARK: The table

  @Test func `the article has the table of the code`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = folder.appendingPathComponent(
      "Sources/StrataImport/StrataImport.docc/WhenAbsenceDeletes.md")
    let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
    let rows = lines.filter { $0.hasPrefix("| ") }.dropFirst(2).map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(rows.map(\.[0]) == AnswerCompleteness.allCases.map(\.rawValue))
    for (row, answer) in zip(rows, AnswerCompleteness.allCases) {
      let expected =
        switch answer.verdict {
        case .deletes: "are deleted"
        case .fails: "are kept: the import fails"
        case .keeps: "are kept: `\(answer)`"
        }
      #expect(row[1] == expected)
    }
  }

  @Test func `the statuses 200 and 203 are the only ones of a whole feed`() {
    for status in 100...599 {
      let answer = AnswerCompleteness(status: status)
      #expect((answer.verdict == .deletes) == [200, 203].contains(status), "\(status)")
      #expect((answer.verdict == .fails) != [200, 203].contains(status), "\(status)")
      let expecting = AnswerCompleteness(status: status, expectsNoContent: true)
      #expect((expecting == .expectedNoContent) == [204, 205].contains(status), "\(status)")
    }
  }

  // MARK: Faults

  enum Format: CaseIterable { case array, lines }

  /// Returns the expected case of the table for an answer with a fault.
  private static func expected(_ fault: ServerFault?, _ format: Format) -> AnswerCompleteness {
    switch (fault, format) {
    case (nil, _), (.slowDrip, _), (.lyingETag, _), (.byteOrderMark, _): .whole
    case (.withoutLength, .array), (.gzip, .array): .whole
    case (.withoutLength, .lines), (.cutWithoutLength, .lines): .openEnd
    case (.gzip, .lines), (.gzipWithoutEnd, .lines): .decodedByTransport
    case (.cutWithLength, _), (.cutChunks, _), (.halfHeader, _): .cut
    case (.cutWithoutLength, .array), (.gzipWithoutEnd, .array): .cut
    case (.unreadableLink, _): .unreadableLink
    case (.noContent, _): .noContent
    case (.emptyBody, .lines): .emptyLines
    case (.emptyBody, .array), (.latin1, _), (.htmlPage, _), (.endless, _): .failure
    case (.redirectionInCircles, _), (.tooManyRequests, _), (.unavailable, _): .failure
    case (.partialContent, _): .failure
    }
  }

  private func server(_ format: Format, _ fault: ServerFault?) throws -> MisbehavingServer {
    let records = (1...100).map { #"{"id": \#($0), "name": "Zoë \#($0)"}"# }
    let body =
      switch format {
      case .array: "[" + records.joined(separator: ",\n") + "]"
      case .lines: records.joined(separator: "\n") + "\n"
      }
    return try MisbehavingServer { _ in ServerAnswer(body: body, fault: fault) }
  }

  private func feed(_ server: MisbehavingServer, _ format: Format, _ absent: AbsentRows) -> Feed {
    var feed = Feed(
      "authors", Author.self, from: URLRequest(url: server.url),
      as: format == .array ? .array : .lines, mapping: Author.json, absent: absent)
    feed.paging = .linkHeader
    return feed
  }

  /// Fills the store with the server's rows and one more row.
  private func fill() async throws {
    try await stack.withScratch { scratch in
      for id in 1...101 { scratch.insert(Author(id: id, name: "old")) }
    }
  }

  private static let faults: [ServerFault?] = [nil] + ServerFault.all

  @Test(arguments: faults, Format.allCases)
  func `a fault deletes nothing that the server has`(
    fault: ServerFault?, format: Format
  ) async throws {
    try await check(fault, format, .urlSession())
  }

  @Test(arguments: Format.allCases)
  func `half a header is survived by another transport`(format: Format) async throws {
    try await check(.halfHeader, format, PlainClient.transport)
    try await stack.withScratch { try await $0.fetch(Author.all).forEach($0.delete) }
    try await check(nil, format, PlainClient.transport)
  }

  @Test func `an array that begins again deletes nothing`() async throws {
    try await check(.endless, .array, .urlSession())
  }

  @Test func `lines without an end delete nothing, whenever they are left`() async throws {
    try await fill()
    let server = try server(.lines, .endless)
    let feed = feed(server, .lines, .delete)
    let refresher = Refresher(stack, retries: .never)
    let refresh = Task { try await refresher.refresh(feed) }
    while server.requests.isEmpty { await Task.yield() }
    refresh.cancel()
    await #expect(throws: ImportError.self) { try await refresh.value }
    while server.endedAnswers == 0 { await Task.yield() }
    #expect(try await stack.fetch(Author.all).count == 101)
  }

  private func check(
    _ fault: ServerFault?, _ format: Format, _ transport: HTTPTransport
  ) async throws {
    try await fill()
    let server = try server(format, fault)
    let refresher = Refresher(stack, transport: transport, retries: .never)
    let expected = Self.expected(fault, format)
    var result: ImportResult?
    do {
      if case .imported(let imported) = try await refresher.refresh(feed(server, format, .delete)) {
        result = imported
      }
    } catch {
      #expect(expected.verdict == .fails, "\(error)")
    }
    let left = try await stack.fetch(Author.all).map(\.id).sorted()
    #expect(Array(left.prefix(100)) == Array(1...100))
    switch expected.verdict {
    case .deletes: #expect(left.count == 100 && result?.incompleteEntities == [])
    case .fails: #expect(left.count == 101 && result == nil)
    case .keeps(let reason):
      #expect(left.count == 101)
      #expect(result?.incompleteEntities == [IncompleteEntity(name: "Author", reason: reason)])
    }
    // Without deletions, the same answer brings its records or fails.
    let other = Refresher(stack, transport: transport, retries: .never)
    do {
      _ = try await other.refresh(feed(server, format, .keep))
    } catch {
      #expect(expected.verdict == .fails, "\(error)")
    }
    if expected.verdict != .fails {
      #expect(try await stack.count(Author.where { $0.name != "old" }) >= 40)
    }
    #expect(try await stack.fetch(Author.all).count == left.count)
  }

  /// A transport of the app's own takes the end of the connection for the end of the body.
  @Test func `a body that is shorter than its length fails whatever the transport reports`()
    async throws
  {
    try await fill()
    let url = try #require(URL(string: "http://feed.test/authors"))
    let lines = (1...50).map { #"{"id": \#($0), "name": "new"}"# + "\n" }.joined()
    let transport = HTTPTransport { _ in
      let head = HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: "HTTP/1.1",
        headerFields: ["Content-Length": "\(lines.utf8.count * 2)"])
      let body = AsyncStream<Data> { continuation in
        continuation.yield(Data(lines.utf8))
        continuation.finish()
      }
      return (try #require(head), body)
    }
    let feed = Feed(
      "authors", Author.self, from: URLRequest(url: url), as: .lines, mapping: Author.json,
      absent: .delete)
    let error = await #expect(throws: ImportError.self) {
      try await Refresher(stack, transport: transport, retries: .never).refresh(feed)
    }
    #expect(error?.code == .source)
    #expect(try await stack.fetch(Author.all).count == 101)
  }

  /// The server begins to send pages, and the feed still reads one.
  @Test func `an answer that names an unread next page deletes nothing`() async throws {
    try await fill()
    let server = try MisbehavingServer { _ in
      ServerAnswer(headers: ["Link": "</p2>; rel=next"], body: #"[{"id": 1, "name": "new"}]"#)
    }
    var feed = feed(server, .array, .delete)
    feed.paging = .one
    let refresher = Refresher(stack, retries: .never)
    guard case .imported(let result) = try await refresher.refresh(feed) else {
      Issue.record("not imported")
      return
    }
    #expect(
      result.incompleteEntities == [IncompleteEntity(name: "Author", reason: .unreadNextPage)])
    #expect(try await stack.fetch(Author.all).count == 101)
  }

  @Test func `several responses as one feed may shift like pages`() async throws {
    try await fill()
    let server = try MisbehavingServer { request in
      let ids = request.path == "/1" ? 1...50 : 51...100
      return ServerAnswer(
        body: "[" + ids.map { #"{"id": \#($0), "name": "new"}"# }.joined(separator: ",") + "]")
    }
    let sources = ["1", "2"].map {
      JSONSource.response(to: URLRequest(url: server.url.appendingPathComponent($0)))
    }
    let result = try await stack.importJSON(
      Author.self, from: sources, mapping: Author.json, absent: .delete)
    #expect(
      result.incompleteEntities == [IncompleteEntity(name: "Author", reason: .unversionedPages)])
    #expect(try await stack.fetch(Author.all).count == 101)
  }

  @Test func `a feed may expect an answer without content`() async throws {
    try await fill()
    let server = try server(.array, .noContent)
    var feed = feed(server, .array, .delete)
    feed.expectsNoContent = true
    let refresher = Refresher(stack, retries: .never)
    guard case .imported(let result) = try await refresher.refresh(feed) else {
      Issue.record("not imported")
      return
    }
    #expect(result.deleted == 101 && result.incompleteEntities.isEmpty)
  }

  @Test(arguments: [false, true])
  func `pages without validators delete nothing unless they are steady`(
    areSteady: Bool
  ) async throws {
    try await fill()
    let server = try MisbehavingServer { request in
      let isFirst = !request.path.contains("page")
      let ids = isFirst ? 1...50 : 51...100
      let body = "[" + ids.map { #"{"id": \#($0), "name": "new"}"# }.joined(separator: ",") + "]"
      let link = isFirst ? ["Link": "</authors?page=2>; rel=next"] : [:]
      return ServerAnswer(headers: link, body: body)
    }
    var feed = feed(server, .array, .delete)
    feed.hasSteadyPages = areSteady
    let refresher = Refresher(stack, retries: .never)
    guard case .imported(let result) = try await refresher.refresh(feed) else {
      Issue.record("not imported")
      return
    }
    #expect(result.deleted == (areSteady ? 1 : 0))
    #expect(
      result.incompleteEntities
        == (areSteady ? [] : [IncompleteEntity(name: "Author", reason: .unversionedPages)]))
    // The refresher requests pages without validators only once.
    #expect(server.requests.map(\.path) == ["/", "/authors?page=2"])
  }

  @Test func `a record that is left out keeps rows and says why`() async throws {
    try await fill()
    let server = try MisbehavingServer { _ in ServerAnswer(body: #"[{"id": 1}, {"id": "x"}]"#) }
    var feed = feed(server, .array, .delete)
    feed.options.refusedRecords = .skip()
    guard case .imported(let result) = try await Refresher(stack).refresh(feed) else {
      Issue.record("not imported")
      return
    }
    #expect(result.skipped == 1 && result.deleted == 0)
    #expect(
      result.incompleteEntities == [IncompleteEntity(name: "Author", reason: .refusedRecord)])
  }

  /// The import saves the last records after it has read the whole feed.
  @Test func `a record that a rule refuses at the end keeps rows and says why`() async throws {
    let stack = try await Stack.temporary(Slot.self)
    try await stack.withScratch { scratch in
      for id in 1...3 { scratch.insert(Slot(id: id, number: id)) }
    }
    let server = try MisbehavingServer { _ in
      ServerAnswer(
        body: #"[{"id": 1, "number": 7}, {"id": 3, "number": 3}, {"id": 4, "number": 3}]"#)
    }
    var feed = Feed("slots", Slot.self, from: URLRequest(url: server.url), absent: .delete)
    feed.options.refusedRecords = .skip()
    guard case .imported(let result) = try await Refresher(stack).refresh(feed) else {
      Issue.record("not imported")
      return
    }
    #expect(result.skipped == 1 && result.deleted == 0)
    #expect(result.incompleteEntities == [IncompleteEntity(name: "Slot", reason: .refusedRecord)])
    await stack.close()
  }

  /// An app that receives the answer by other means passes its head to the import.
  @Test func `the head of a response that an app received says whether it is whole`() async throws {
    try await fill()
    let url = try #require(URL(string: "http://127.0.0.1/"))
    let lines = (1...100).map { #"{"id": \#($0), "name": "new"}"# }.joined(separator: "\n")
    func result(_ status: Int, _ fields: [String: String]) async throws -> ImportResult {
      let response = try #require(
        HTTPURLResponse(
          url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
      let body = AsyncStream { continuation in
        continuation.yield(Data(lines.utf8))
        continuation.finish()
      }
      return try await stack.importJSON(
        Author.self, from: .response(response, body: body), as: .lines, mapping: Author.json,
        absent: .delete)
    }
    #expect(try await result(200, [:]).incompleteEntities.map(\.reason) == [.openEnd])
    let error = await #expect(throws: ImportError.self) { _ = try await result(206, [:]) }
    #expect((error?.underlying as? HTTPStatusError)?.status == 206)
    #expect(try await result(200, ["Content-Length": "\(lines.utf8.count)"]).deleted == 1)
  }
}

/// An HTTP client for small answers, in place of an app's own client.
private enum PlainClient {
  static let transport = HTTPTransport { request in try answer(request) }

  private static func answer(
    _ request: URLRequest
  ) throws -> (response: HTTPURLResponse, body: AsyncStream<Data>) {
    guard let url = request.url, let port = url.port else { throw URLError(.badURL) }
    let connection = try ClientConnection(port: UInt16(port))
    connection.send(Data("GET \(url.path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    let bytes = connection.readToEnd()
    guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else {
      throw URLError(.networkConnectionLost)
    }
    let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
    let lines = head.components(separatedBy: "\r\n")
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.components(separatedBy: ": ")
      fields[parts[0]] = parts.dropFirst().joined(separator: ": ")
    }
    let status = Int(lines[0].components(separatedBy: " ")[1]) ?? 0
    let response = HTTPURLResponse(
      url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
    guard let response else { throw URLError(.badServerResponse) }
    let body = Data(bytes[end.upperBound...])
    return (
      response,
      AsyncStream { continuation in
        continuation.yield(body)
        continuation.finish()
      }
    )
  }
}
