public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// An input of JSON, which is read piece by piece, whatever its size.
///
/// ```swift
/// let file = JSONSource.file(URL(filePath: "songs.json.gz")).gunzipped()
/// let memory = JSONSource.data(Data("[]".utf8))
/// let answer = JSONSource.response(to: request)
/// ```
public struct JSONSource: Sendable {
  enum Kind: Sendable {
    case data(Data)
    case file(URL)
    case chunks(@Sendable () throws -> ChunkIterator)
  }

  let kind: Kind
  /// The head of the response whose body is read; nil for other input.
  private(set) var head: ResponseHead?
  /// Whether a server has answered without content, as the feed expects.
  private(set) var isExpectedNoContent = false
  /// Whether the bytes are compressed with gzip.
  private(set) var isGzip = false
  /// The file, or the URL of the request; nil for other input.
  private(set) var place: URL?
  /// The ``byteCount`` that the caller gives.
  private var size: Int?

  private init(_ kind: Kind, size: Int? = nil) {
    self.kind = kind
    self.size = size.flatMap { $0 < 0 ? nil : $0 }
  }

  /// The number of bytes that will be read, if it is known beforehand.
  var byteCount: Int? {
    if isGzip || size != nil { return size }
    switch kind {
    case .data(let data): return data.count
    case .file(let url):
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
      return (attributes?[.size] as? NSNumber)?.intValue
    case .chunks: return nil
    }
  }

  /// Reads bytes in memory.
  public static func data(_ data: Data) -> Self { Self(.data(data)) }

  /// Reads a file through a window.
  public static func file(_ url: URL) -> Self { Self(.file(url)).from(url) }

  private func from(_ place: URL?) -> Self {
    var copy = self
    copy.place = place
    return copy
  }

  /// Reads pieces as they arrive, such as the body of a response.
  ///
  /// The pieces may be cut anywhere.
  ///
  /// - Parameters:
  ///   - chunks: the pieces.
  ///   - size: the number of bytes in all pieces, for ``ImportProgress/fraction``. If it is not
  ///     known, pass nil or a negative number, as the `expectedContentLength` of a response is
  ///     then. Nothing else depends on it.
  public static func chunks<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, size: Int? = nil
  ) -> Self where Chunks.Element == Data {
    Self(.chunks { ChunkIterator(chunks) }, size: size)
  }

  /// Reads bytes as they arrive, such as `URLSession.AsyncBytes`.
  ///
  /// The source gathers the bytes into pieces of 16 KB. An import reads a piece when it is full or
  /// when the sequence ends. To import lines as they trickle in, use ``chunks(_:size:)``.
  ///
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - size: the number of bytes, as in ``chunks(_:size:)``.
  public static func bytes<Bytes: AsyncSequence & Sendable>(
    _ bytes: Bytes, size: Int? = nil
  ) -> Self where Bytes.Element == UInt8 {
    Self(.chunks { ChunkIterator(gathering: bytes) }, size: size)
  }

  /// Sends a request when the import begins, and reads the body of the response.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - transport: the transport that sends the request.
  ///   - onResponse: called once, before the first byte is read, for a response with status 200 or
  ///     203. It can read header fields such as `ETag` and `Link`.
  /// - Note: If the request fails, the import throws an ``ImportError`` with code `source`. Its
  ///   ``ImportError/underlying`` is an ``HTTPStatusError`` if the status is neither 200 nor 203,
  ///   otherwise the error of the transport. <doc:WhenAbsenceDeletes> lists the answers that delete
  ///   absent rows.
  public static func response(
    to request: URLRequest, transport: HTTPTransport = .urlSession(),
    onResponse: (@Sendable (HTTPURLResponse) -> Void)? = nil
  ) -> Self {
    let head = ResponseHead()
    return .body(of: head) {
      let answer = try await transport.send(request)
      if let response = answer.head {
        head.note(response)
        if !response.isWhole { throw HTTPStatusError(response) }
        onResponse?(response)
      }
      return answer.body()
    }.from(request.url)
  }

  /// Reads the body of a response that the app has received by itself.
  ///
  /// - Parameters:
  ///   - response: the head of the response. Its status and header fields decide whether absent
  ///     rows may be deleted, by the table of <doc:WhenAbsenceDeletes>. A status that is neither
  ///     200 nor 203 fails as in ``response(to:transport:onResponse:)``.
  ///   - body: the pieces of the body. The sequence must throw if the body ends early.
  public static func response<Body: AsyncSequence & Sendable>(
    _ response: HTTPURLResponse, body: Body
  ) -> Self where Body.Element == Data {
    let head = ResponseHead()
    head.note(response)
    return .body(of: head) {
      if !response.isWhole { throw HTTPStatusError(response) }
      return ChunkIterator(body)
    }.from(response.url)
  }

  /// Reads the body of an answer whose request was sent already.
  static func body(_ answer: HTTPTransport.Answer) -> Self {
    let head = ResponseHead()
    if let response = answer.head { head.note(response) }
    return .body(of: head) { answer.body() }.from(answer.head?.url)
  }

  /// - Parameter open: opens the body when the first piece is read.
  private static func body(
    of head: ResponseHead, _ open: @escaping @Sendable () async throws -> sending ChunkIterator
  ) -> Self {
    var source = Self(
      .chunks {
        var body: ChunkIterator?
        var count = 0
        return ChunkIterator {
          if body == nil { body = try await open() }
          guard let piece = try await body?.next() else {
            // Some transports end a body that is cut as if it were whole.
            if head.isCut(at: count) { throw URLError(.networkConnectionLost) }
            return nil
          }
          count += piece.count
          return piece
        }
      })
    source.head = head
    return source
  }

  /// An answer without content, as the feed expects.
  static var expectedNoContent: Self {
    var source = Self(.data(Data()))
    source.isExpectedNoContent = true
    return source
  }

  /// Returns a source that decompresses the bytes from gzip (RFC 1952).
  ///
  /// Consecutive members are read as one. If the bytes are not gzip, damaged or cut, the import
  /// throws an ``ImportError`` with code `source`, whose ``ImportError/underlying`` is a
  /// ``GzipError``. Batches that were committed before stay.
  ///
  /// - Parameter size: the number of bytes after decompression, for ``ImportProgress/fraction``;
  ///   nil or negative if it is not known. Nothing else depends on it.
  public func gunzipped(size: Int? = nil) -> Self {
    var copy = Self(kind, size: size)
    copy.head = head
    copy.place = place
    copy.isGzip = true
    return copy
  }
}
