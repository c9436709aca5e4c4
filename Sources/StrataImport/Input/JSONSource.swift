public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Where JSON comes from. Read piece by piece, whatever its size.
public struct JSONSource: Sendable {
  enum Kind: Sendable {
    case data(Data)
    case file(URL)
    case chunks(@Sendable () throws -> ChunkIterator)
  }

  let kind: Kind
  /// The head of the response that the bytes are the body of.
  private(set) var head: ResponseHead?
  /// Whether a server has answered that there is nothing, and the feed expects that.
  private(set) var isExpectedNoContent = false
  /// Whether the bytes are compressed with gzip.
  private(set) var isGzip = false
  /// What the caller says that ``byteCount`` is.
  private var size: Int?

  private init(_ kind: Kind, size: Int? = nil) {
    self.kind = kind
    self.size = size.flatMap { $0 < 0 ? nil : $0 }
  }

  /// The number of bytes that will be read, if that is known beforehand.
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

  /// Bytes in memory.
  public static func data(_ data: Data) -> Self { Self(.data(data)) }

  /// A file, read through a window.
  public static func file(_ url: URL) -> Self { Self(.file(url)) }

  /// Pieces as they arrive, such as the body of a response; cut anywhere.
  ///
  /// - Parameters:
  ///   - chunks: the pieces.
  ///   - size: how many bytes they have together, for ``ImportProgress/fraction``; nil, or negative
  ///     as the `expectedContentLength` of a response is then, if that is not known. Nothing else
  ///     depends on it.
  public static func chunks<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, size: Int? = nil
  ) -> Self where Chunks.Element == Data {
    Self(.chunks { ChunkIterator(chunks) }, size: size)
  }

  /// Bytes as they arrive, such as `URLSession.AsyncBytes`.
  ///
  /// They are gathered into pieces of 16 KB, and nothing is read of a piece before it is full or
  /// the sequence ends: for lines that shall be imported as they trickle in, use
  /// ``chunks(_:size:)``.
  ///
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - size: how many they are, as of ``chunks(_:size:)``.
  public static func bytes<Bytes: AsyncSequence & Sendable>(
    _ bytes: Bytes, size: Int? = nil
  ) -> Self where Bytes.Element == UInt8 {
    Self(.chunks { ChunkIterator(gathering: bytes) }, size: size)
  }

  /// The body of the response to a request, sent when the import begins.
  ///
  /// - Parameters:
  ///   - request: what is asked for.
  ///   - transport: what sends it.
  ///   - onResponse: called once, before the first byte is read, for a response with status 200 or
  ///     203; for header fields such as `ETag` and `Link`.
  /// - Note: an import from it fails with an ``ImportError`` of code `source`; its
  ///   ``ImportError/underlying`` error is an ``HTTPStatusError`` if the status is neither 200 nor
  ///   203, otherwise what the transport throws. Which answers may delete absent rows says
  ///   <doc:WhenAbsenceDeletes>.
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
    }
  }

  /// The body of a response that an app has received by itself.
  ///
  /// - Parameters:
  ///   - response: the head of the response; its status and header fields say whether rows that the
  ///     body lacks may be deleted, as <doc:WhenAbsenceDeletes> has it. A status that is neither 200
  ///     nor 203 fails as with ``response(to:transport:onResponse:)``.
  ///   - body: the pieces of the body; it must throw if it ends early.
  public static func response<Body: AsyncSequence & Sendable>(
    _ response: HTTPURLResponse, body: Body
  ) -> Self where Body.Element == Data {
    let head = ResponseHead()
    head.note(response)
    return .body(of: head) {
      if !response.isWhole { throw HTTPStatusError(response) }
      return ChunkIterator(body)
    }
  }

  /// A body whose first pieces were asked for already.
  static func body(_ answer: HTTPTransport.Answer) -> Self {
    let head = ResponseHead()
    if let response = answer.head { head.note(response) }
    return .body(of: head) { answer.body() }
  }

  /// - Parameter open: called when the first piece is read.
  private static func body(
    of head: ResponseHead, _ open: @escaping @Sendable () async throws -> sending ChunkIterator
  ) -> Self {
    var source = Self(
      .chunks {
        var body: ChunkIterator?
        return ChunkIterator {
          if let body { return try await body.next() }
          let opened = try await open()
          body = opened
          return try await opened.next()
        }
      })
    source.head = head
    return source
  }

  /// An answer without content, where the feed expects one.
  static var expectedNoContent: Self {
    var source = Self(.data(Data()))
    source.isExpectedNoContent = true
    return source
  }

  /// The same bytes, decompressed from gzip (RFC 1952).
  ///
  /// Several members one after the other are read as one. If the bytes are not gzip, damaged or
  /// cut, the import fails with an ``ImportError`` of code `source` whose
  /// ``ImportError/underlying`` error is a ``GzipError``. Batches committed before stay.
  ///
  /// - Parameter size: how many bytes they are once decompressed, for ``ImportProgress/fraction``;
  ///   nil, or negative, if that is not known. Nothing else depends on it.
  public func gunzipped(size: Int? = nil) -> Self {
    var copy = Self(kind, size: size)
    copy.head = head
    copy.isGzip = true
    return copy
  }
}
