import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

/// Tests the answers of the server byte by byte, without an HTTP client that would repair them.
@Suite(.inTurn) struct MisbehavingServerTests {
  /// Twenty lines of five bytes, so half of the body has fifty bytes and ends with a line.
  private static let text = String(repeating: "Zoë\n", count: 20)
  private static let body = Data(text.utf8)
  private static let half = Data(String(repeating: "Zoë\n", count: 10).utf8)
  private static let get = "GET /notes?page=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"

  /// An answer as it arrives.
  private struct Received {
    let status: Int
    /// The header fields without `Connection`, which every answer has.
    private(set) var fields: [String: String] = [:]
    let body: Data

    init(_ bytes: Data) throws {
      let end = try #require(bytes.range(of: Data("\r\n\r\n".utf8)))
      let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      let lines = head.components(separatedBy: "\r\n")
      let words = lines[0].components(separatedBy: " ")
      try #require(words.count > 1 && words[0] == "HTTP/1.1")
      status = try #require(Int(words[1]))
      body = Data(bytes[end.upperBound...])
      for line in lines.dropFirst() {
        let parts = line.components(separatedBy: ": ")
        fields[parts[0]] = parts.dropFirst().joined(separator: ": ")
      }
      let connection = fields.removeValue(forKey: "Connection")
      #expect(connection == "close")
    }
  }

  /// Returns all bytes that the server sends, up to a limit.
  private func bytes(
    of server: MisbehavingServer, _ request: String = Self.get, limit: Int = .max
  ) throws -> Data {
    let connection = try ClientConnection(port: UInt16(try #require(server.url.port)))
    connection.send(Data(request.utf8))
    return connection.readToEnd(orTo: limit)
  }

  private func received(
    _ fault: ServerFault?, status: Int = 200, body: Data = Self.body
  ) throws -> Received {
    let server = try MisbehavingServer { _ in
      ServerAnswer(status: status, body: body, fault: fault)
    }
    return try Received(bytes(of: server))
  }

  /// Returns the decompressed bytes, and whether the gzip stream has its end.
  private func unzipped(_ data: Data) throws -> (bytes: Data, isWhole: Bool) {
    var gunzip = Gunzip()
    gunzip.append(data)
    var bytes = Data()
    while let piece = try gunzip.next() { bytes += piece }
    do throws(GzipError) {
      try gunzip.finish()
      return (bytes, true)
    } catch {
      #expect(error == .truncated)
      return (bytes, false)
    }
  }

  // MARK: Requests

  @Test func `a correct answer has the status, the fields and the body`() throws {
    let server = try MisbehavingServer { _ in
      ServerAnswer(status: 201, headers: ["X-Kind": "note"], body: Self.text)
    }
    let answer = try Received(bytes(of: server))
    #expect(answer.status == 201 && answer.body == Self.body)
    #expect(answer.fields == ["Content-Length": "100", "X-Kind": "note"])
  }

  @Test func `the server keeps its requests, and later ones may get another answer`() throws {
    let server = try MisbehavingServer { ServerAnswer(body: "answer \($0.number)") }
    #expect(try Received(bytes(of: server)).body == Data("answer 1".utf8))
    server.answer { ServerAnswer(status: 404, body: "no \($0.path)") }
    let post = "POST /notes HTTP/1.1\r\nX-Kind: a\r\nContent-Length: 5\r\n\r\nhello"
    let second = try Received(bytes(of: server, post))
    #expect(second.status == 404 && second.body == Data("no /notes".utf8))
    let requests = server.requests
    #expect(requests.map(\.number) == [1, 2] && requests.map(\.method) == ["GET", "POST"])
    #expect(requests.map(\.path) == ["/notes?page=1", "/notes"])
    #expect(requests.map(\.body) == [Data(), Data("hello".utf8)])
    #expect(requests[0].headers == ["host": "localhost"])
    #expect(requests[1].headers == ["x-kind": "a", "content-length": "5"])
  }

  // MARK: Faults

  @Test func `a cut with a length promises the whole body`() throws {
    let answer = try received(.cutWithLength)
    #expect(answer.status == 200 && answer.body == Self.half)
    #expect(answer.fields == ["Content-Length": "100"])
  }

  @Test func `cut chunks lack the last chunk`() throws {
    let answer = try received(.cutChunks)
    #expect(answer.status == 200 && answer.fields == ["Transfer-Encoding": "chunked"])
    #expect(answer.body == Data("32\r\n".utf8) + Self.half + Data("\r\n".utf8))
  }

  @Test func `a body without a length ends with the connection, whole or cut`() throws {
    for (fault, body) in [(ServerFault.withoutLength, Self.body), (.cutWithoutLength, Self.half)] {
      let answer = try received(fault)
      #expect(answer.status == 200 && answer.fields == [:] && answer.body == body, "\(fault)")
    }
  }

  @Test func `a body without lines is cut in the middle, and an empty one promises more`() throws {
    #expect(try received(.cutWithoutLength, body: Data("abcdefg".utf8)).body == Data("abc".utf8))
    let empty = try received(.cutWithLength, body: Data())
    #expect(empty.fields == ["Content-Length": "1"] && empty.body.isEmpty)
    #expect(try received(.cutChunks, body: Data()).body == Data("1\r\n".utf8))
  }

  @Test func `a body is compressed, whole or without its end`() throws {
    for (fault, body) in [(ServerFault.gzip, Self.body), (.gzipWithoutEnd, Self.half)] {
      let answer = try received(fault)
      #expect(
        answer.fields
          == ["Content-Encoding": "gzip", "Content-Length": "\(answer.body.count)"])
      let (bytes, isWhole) = try unzipped(answer.body)
      #expect(bytes == body && isWhole == (fault == .gzip), "\(fault)")
    }
  }

  /// A stored block of gzip has at most 65,535 bytes.
  @Test func `a long body is compressed in several blocks`() throws {
    let body = Data((0..<200_000).map { UInt8($0 % 251) })
    let (bytes, isWhole) = try unzipped(received(.gzip, body: body).body)
    #expect(bytes == body && isWhole)
  }

  @Test func `a text in ISO 8859-1 says so`() throws {
    let answer = try received(.latin1)
    #expect(answer.body == Self.text.data(using: .isoLatin1))
    #expect(
      answer.fields
        == ["Content-Type": "application/json; charset=iso-8859-1", "Content-Length": "80"])
  }

  @Test func `a redirection leads to the same place`() throws {
    let answer = try received(.redirectionInCircles)
    #expect(answer.status == 302 && answer.body.isEmpty)
    #expect(answer.fields == ["Location": "/notes?page=1", "Content-Length": "0"])
  }

  @Test(
    arguments: [
      (ServerFault.tooManyRequests(), 429, nil), (.tooManyRequests(retryAfter: 7), 429, "7"),
      (.unavailable(), 503, nil), (.unavailable(retryAfter: 60), 503, "60"),
    ] as [(ServerFault, Int, String?)])
  func `a refusal may say when to try again`(
    fault: ServerFault, status: Int, delay: String?
  ) throws {
    let answer = try received(fault)
    #expect(answer.status == status && answer.body.isEmpty)
    #expect(answer.fields["Retry-After"] == delay && answer.fields["Content-Length"] == "0")
  }

  @Test func `a partial answer is half of the body`() throws {
    let answer = try received(.partialContent)
    #expect(answer.status == 206 && answer.body == Self.half)
    #expect(answer.fields == ["Content-Range": "bytes 0-49/100", "Content-Length": "50"])
  }

  @Test func `an answer without content has no body and no length`() throws {
    let answer = try received(.noContent)
    #expect(answer.status == 204 && answer.fields == [:] && answer.body.isEmpty)
  }

  @Test(arguments: [200, 403])
  func `a page in HTML and an empty body have the status of the answer`(status: Int) throws {
    let page = try received(.htmlPage, status: status)
    #expect(page.status == status && page.body.starts(with: Data("<!DOCTYPE html>".utf8)))
    #expect(
      page.fields == ["Content-Type": "text/html", "Content-Length": "\(page.body.count)"])
    let empty = try received(.emptyBody, status: status)
    #expect(empty.status == status && empty.body.isEmpty)
    #expect(empty.fields == ["Content-Length": "0"])
  }

  @Test func `a byte order mark is in front of the body`() throws {
    let answer = try received(.byteOrderMark)
    #expect(answer.status == 200 && answer.fields == ["Content-Length": "103"])
    #expect(answer.body == Data([0xEF, 0xBB, 0xBF]) + Self.body)
  }

  @Test func `a slow body comes in chunks of 64 bytes, and has its last chunk`() throws {
    let answer = try received(.slowDrip)
    #expect(answer.status == 200 && answer.fields == ["Transfer-Encoding": "chunked"])
    var expected = Data("40\r\n".utf8) + Self.body.prefix(64)
    expected += Data("\r\n24\r\n".utf8) + Self.body.dropFirst(64)
    expected += Data("\r\n0\r\n\r\n".utf8)
    #expect(answer.body == expected)
  }

  @Test func `the connection closes within the header`() throws {
    let server = try MisbehavingServer { _ in ServerAnswer(body: Self.text, fault: .halfHeader) }
    let text = String(decoding: try bytes(of: server), as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 200 ") && !text.contains("\r\n\r\n"))
  }

  @Test func `an ETag stays the same while the body changes`() throws {
    let server = try MisbehavingServer {
      ServerAnswer(body: "body \($0.number)", fault: .lyingETag)
    }
    for number in 1...2 {
      let answer = try Received(bytes(of: server))
      #expect(answer.status == 200 && answer.body == Data("body \(number)".utf8))
      #expect(answer.fields["ETag"] == "\"same\"")
    }
    let conditional = "GET /notes HTTP/1.1\r\nIf-None-Match: \"other\"\r\n\r\n"
    let answer = try Received(bytes(of: server, conditional))
    #expect(answer.status == 304 && answer.body.isEmpty && answer.fields["ETag"] == "\"same\"")
  }

  @Test func `a Link field cannot be read, and the body is whole`() throws {
    let answer = try received(.unreadableLink)
    #expect(answer.status == 200 && answer.body == Self.body)
    let link = try #require(answer.fields["Link"])
    #expect(throws: PagingError.unreadableLink(link)) {
      try LinkHeader.target(of: "next", in: link, of: nil)
    }
  }

  @Test func `an endless body begins again until the client leaves`() async throws {
    let server = try MisbehavingServer { _ in ServerAnswer(body: Self.text, fault: .endless) }
    let answer = try Received(bytes(of: server, limit: 1_000))
    #expect(answer.status == 200 && answer.fields == [:])
    #expect(answer.body.prefix(300) == Self.body + Self.body + Self.body)
    while server.endedAnswers == 0 { await Task.yield() }
  }
}
