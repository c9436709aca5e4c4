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
  /// The body goes through a temporary file without a name while it arrives. Memory so stays
  /// bounded although the server is read as fast as it sends, and its connection does not wait for
  /// the store. `Content-Encoding` is undone by URLSession. On Linux no `URLCache` is asked: there,
  /// a request that its cache may answer cannot be cancelled safely.
  ///
  /// - Parameters:
  ///   - request: what is asked for.
  ///   - configuration: of the session that is made for this request alone.
  ///   - onResponse: called once, before the first byte is read, for any response that is a
  ///     success; for headers such as `ETag` and `Link`. Runs on a queue of URLSession.
  /// - Note: an import from it fails with an ``ImportError`` of code `source`; its
  ///   ``ImportError/underlying`` error is an ``HTTPStatusError`` if the status is not 200 to 299,
  ///   otherwise what URLSession says.
  public static func response(
    to request: URLRequest, configuration: URLSessionConfiguration = .default,
    onResponse: (@Sendable (HTTPURLResponse) -> Void)? = nil
  ) -> Self {
    Self(
      .chunks {
        let body = try ResponseBody(request, configuration) { response in
          if response.isSuccess { onResponse?(response) }
        }
        return ChunkIterator { try await body.next() }
      })
  }

  /// A body of which the first piece has been read.
  static func body(_ body: ResponseBody, after first: Data?) -> Self {
    Self(
      .chunks {
        var first = first
        return ChunkIterator {
          defer { first = nil }
          if let first { return first }
          return try await body.next()
        }
      })
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
    copy.isGzip = true
    return copy
  }
}
