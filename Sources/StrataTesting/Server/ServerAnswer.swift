internal import CStrataZlib
public import Foundation

/// An answer of a ``MisbehavingServer``.
///
/// ```swift
/// let server = try MisbehavingServer { request in
///   request.number == 1
///     ? ServerAnswer(status: 503, headers: ["Retry-After": "1"])
///     : ServerAnswer(headers: ["ETag": "1"], body: "[]")
/// }
/// ```
public struct ServerAnswer: Sendable {
  /// The status; a fault may send another status.
  public var status: Int
  /// Header fields in addition to the fields that frame the body.
  public var headers: [String: String]
  /// The body, as a correct server would send it.
  public var body: Data
  /// The fault of the answer; nil for a correct answer.
  public var fault: ServerFault?

  /// Creates an answer; each parameter is the property of the same name.
  public init(
    status: Int = 200, headers: [String: String] = [:], body: Data = Data(),
    fault: ServerFault? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.fault = fault
  }

  /// Creates an answer with a text as its body.
  public init(
    status: Int = 200, headers: [String: String] = [:], body: String, fault: ServerFault? = nil
  ) {
    self.init(status: status, headers: headers, body: Data(body.utf8), fault: fault)
  }

  // MARK: - Sending

  func send(to connection: ServerConnection, answering request: MisbehavingServer.Request) {
    switch fault {
    case nil: send(body, to: connection)
    // A cut of an empty body says that more would come.
    case .cutWithLength: send(half, length: max(1, body.count), to: connection)
    case .cutChunks:
      connection.send(head(["Transfer-Encoding": "chunked"]))
      connection.send(half.isEmpty ? Data("1\r\n".utf8) : chunk(half))
    case .withoutLength: connection.send(head() + body)
    case .cutWithoutLength: connection.send(head() + half)
    case .gzip: send(gzip(body), ["Content-Encoding": "gzip"], to: connection)
    case .gzipWithoutEnd:
      // The header, the header of the block, and half of the block.
      let cut = gzip(body).prefix(15 + half.count)
      send(cut, ["Content-Encoding": "gzip"], to: connection)
    case .latin1:
      let text = String(decoding: body, as: UTF8.self)
      let bytes = text.data(using: .isoLatin1, allowLossyConversion: true) ?? Data()
      send(bytes, ["Content-Type": "application/json; charset=iso-8859-1"], to: connection)
    case .redirectionInCircles:
      send(Data(), ["Location": request.path], status: 302, to: connection)
    case .tooManyRequests(let delay): refuse(429, after: delay, to: connection)
    case .unavailable(let delay): refuse(503, after: delay, to: connection)
    case .partialContent:
      let range = "bytes 0-\(max(0, half.count - 1))/\(body.count)"
      send(half, ["Content-Range": range], status: 206, to: connection)
    case .noContent: connection.send(head(status: 204))
    case .htmlPage:
      let page = Data("<!DOCTYPE html>\n<title>Please sign in</title>\n".utf8)
      send(page, ["Content-Type": "text/html"], to: connection)
    case .emptyBody: send(Data(), to: connection)
    case .byteOrderMark: send(Data([0xEF, 0xBB, 0xBF]) + body, to: connection)
    case .slowDrip: drip(to: connection)
    case .halfHeader: connection.send(head(["Content-Length": "\(body.count)"]).prefix(24))
    case .lyingETag:
      let isConditional = request.headers["if-none-match"] != nil
      send(
        isConditional ? Data() : body, ["ETag": "\"same\""], status: isConditional ? 304 : nil,
        to: connection)
    case .unreadableLink:
      send(body, ["Link": "<\(request.path)?page=2; rel=\"next\""], to: connection)
    case .endless:
      connection.send(head())
      // Without a pause, a client that has no time to refuse the body would receive gigabytes.
      while connection.send(body), !connection.waitForEnd(milliseconds: 10) {}
    }
  }

  private func send(
    _ body: Data, _ fields: [String: String] = [:], status: Int? = nil, length: Int? = nil,
    to connection: ServerConnection
  ) {
    var fields = fields
    fields["Content-Length"] = "\(length ?? body.count)"
    connection.send(head(fields, status: status) + body)
  }

  private func refuse(_ status: Int, after delay: Int?, to connection: ServerConnection) {
    let fields = delay.map { ["Retry-After": "\($0)"] } ?? [:]
    send(Data(), fields, status: status, to: connection)
  }

  private func drip(to connection: ServerConnection) {
    connection.send(head(["Transfer-Encoding": "chunked"]))
    var rest = body
    while !rest.isEmpty {
      if !connection.send(chunk(Data(rest.prefix(64)))) { return }
      rest = Data(rest.dropFirst(64))
      if connection.waitForEnd(milliseconds: 1) { return }
    }
    connection.send(Data("0\r\n\r\n".utf8))
  }

  private func head(_ fields: [String: String] = [:], status: Int? = nil) -> Data {
    let all = headers.merging(fields) { _, field in field }.merging(["Connection": "close"]) { $1 }
    let lines = all.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }
    return Data("HTTP/1.1 \(status ?? self.status) Answer\r\n\(lines.joined())\r\n".utf8)
  }

  private func chunk(_ bytes: Data) -> Data {
    Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8)
  }

  /// About half of the body, up to the end of a line if it has lines, where a cut is hardest to
  /// notice.
  private var half: Data {
    let half = body.prefix(body.count / 2)
    return half.lastIndex(of: 10).map { body.prefix(through: $0) } ?? half
  }

  /// Returns the bytes in stored blocks of at most 64 KB (RFC 1951, RFC 1952).
  private func gzip(_ bytes: Data) -> Data {
    var result = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    var rest = bytes
    repeat {
      let block = Data(rest.prefix(0xFFFF))
      rest = Data(rest.dropFirst(0xFFFF))
      let size = UInt16(block.count)
      result.append(rest.isEmpty ? 1 : 0)
      for value in [size, ~size] { withUnsafeBytes(of: value.littleEndian) { result += Data($0) } }
      result += block
    } while !rest.isEmpty
    let sum = bytes.withUnsafeBytes { bytes in
      UInt32(crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count)))
    }
    for value in [sum, UInt32(truncatingIfNeeded: bytes.count)] {
      withUnsafeBytes(of: value.littleEndian) { result += Data($0) }
    }
    return result
  }
}

/// A fault of a ``ServerAnswer``.
///
/// ```swift
/// let server = try MisbehavingServer { _ in ServerAnswer(body: "[]", fault: .cutWithLength) }
/// ```
public enum ServerFault: Sendable, Hashable {
  /// `Content-Length` has the length of the whole body, and the connection closes after half of it.
  case cutWithLength
  /// The body comes in chunks, and the connection closes before the last chunk.
  case cutChunks
  /// The whole body comes with neither a length nor chunks, and ends with the connection.
  case withoutLength
  /// The body has neither a length nor chunks, and the connection closes after half of it.
  case cutWithoutLength
  /// The whole body is compressed with gzip.
  case gzip
  /// The body is half of a gzip stream, and the length is correct for that half.
  case gzipWithoutEnd
  /// The body is text in ISO 8859-1.
  case latin1
  /// The answer is a redirection to the same place.
  case redirectionInCircles
  /// Status 429, with `Retry-After` in seconds if it is given.
  case tooManyRequests(retryAfter: Int? = nil)
  /// Status 503, with `Retry-After` in seconds if it is given.
  case unavailable(retryAfter: Int? = nil)
  /// Status 206, and half of the body.
  case partialContent
  /// Status 204.
  case noContent
  /// A page in HTML, as from a network that wants a sign-in; status 200 unless given.
  case htmlPage
  /// An empty body; status 200 unless given.
  case emptyBody
  /// A byte order mark in front of the body.
  case byteOrderMark
  /// The whole body, 64 bytes per millisecond.
  case slowDrip
  /// The connection closes within the header. In this case URLSession on Linux ends the process
  /// (swift-corelibs-foundation 6.3).
  case halfHeader
  /// An `ETag` that is always the same, and status 304 for every conditional request.
  case lyingETag
  /// A `Link` header field with invalid syntax.
  case unreadableLink
  /// The body repeatedly, a hundred times a second, until the client leaves.
  case endless

  /// The faults that a test with any transport survives, each in its simplest form.
  ///
  /// ``endless`` is not among them, because lines of it never end. On Linux, neither is
  /// ``halfHeader``, because URLSession ends the process there.
  public static let all: [ServerFault] = {
    var faults: [ServerFault] = [
      .cutWithLength, .cutChunks, .withoutLength, .cutWithoutLength, .gzip, .gzipWithoutEnd,
      .latin1, .redirectionInCircles, .tooManyRequests(), .unavailable(), .partialContent,
      .noContent, .htmlPage, .emptyBody, .byteOrderMark, .slowDrip, .lyingETag, .unreadableLink,
    ]
    #if !canImport(FoundationNetworking)
      faults.append(.halfHeader)
    #endif
    return faults
  }()
}
