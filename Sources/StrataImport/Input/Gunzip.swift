internal import CStrataZlib
internal import Foundation

/// The error of bytes that are not valid gzip (RFC 1952).
///
/// ```swift
/// do {
///   try await stack.importJSON(Song.self, from: .file(url))
/// } catch let error as ImportError {
///   if let damage = error.underlying as? GzipError { print(damage) }
/// }
/// ```
public enum GzipError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes are not gzip, or damaged. The text is zlib's reason, such as "incorrect data
  /// check".
  case corrupt(String)
  /// The bytes end too early.
  case truncated

  public var description: String {
    switch self {
    case .corrupt(let reason): "not gzip, or damaged: \(reason)"
    case .truncated: "the gzip data ends too early"
    }
  }
}

/// Decompresses gzip that arrives in pieces into pieces of a bounded size.
struct Gunzip {
  /// zlib's state, whose address must not change.
  private final class Stream {
    var stream = z_stream()
    let isReady: Bool

    init() { isReady = strata_inflate_begin(&stream) == Z_OK }

    deinit { inflateEnd(&stream) }
  }

  private let stream = Stream()
  private var input = Data()
  /// Whether a member has begun and not ended.
  private var isInMember = false
  private var hasMember = false

  /// Adds input. Call `next` until it returns nil before adding more.
  mutating func append(_ data: Data) { input = data }

  /// Returns the next piece; nil if it needs more input.
  mutating func next() throws(GzipError) -> Data? {
    guard stream.isReady else { throw .corrupt("zlib has no memory") }
    // zlib may hold back output that did not fit before, so it also runs without input.
    while !input.isEmpty || isInMember {
      var output = Data(count: ChunkReader.size)
      let (code, used, made) = inflate(into: &output)
      input = input.dropFirst(used)
      switch code {
      case Z_OK, Z_BUF_ERROR:
        isInMember = true
      case Z_STREAM_END:
        // A further member may follow.
        (isInMember, hasMember) = (false, true)
        inflateReset(&stream.stream)
      default:
        throw .corrupt(stream.stream.msg.map { String(cString: $0) } ?? "zlib error \(code)")
      }
      if made > 0 { return output.prefix(made) }
      if used == 0 { return nil }
    }
    return nil
  }

  /// Runs zlib once, and returns its code and the numbers of bytes that it read and wrote.
  private func inflate(into output: inout Data) -> (code: Int32, used: Int, made: Int) {
    input.withUnsafeBytes { source in
      output.withUnsafeMutableBytes { target in
        let available = UInt32(clamping: source.count)
        let source = source.bindMemory(to: UInt8.self).baseAddress
        stream.stream.next_in = UnsafeMutablePointer(mutating: source)
        stream.stream.avail_in = available
        stream.stream.next_out = target.bindMemory(to: UInt8.self).baseAddress
        stream.stream.avail_out = UInt32(target.count)
        let code = CStrataZlib.inflate(&stream.stream, Z_NO_FLUSH)
        return (
          code, Int(available - stream.stream.avail_in),
          target.count - Int(stream.stream.avail_out)
        )
      }
    }
  }

  /// Declares that all input has been added and read.
  func finish() throws(GzipError) {
    if isInMember || !hasMember { throw .truncated }
  }
}
