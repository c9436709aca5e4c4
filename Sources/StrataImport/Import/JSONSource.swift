public import Foundation

/// Where JSON comes from. Read piece by piece, whatever its size.
public struct JSONSource: Sendable {
  enum Kind: Sendable {
    case data(Data)
    case file(URL)
    case chunks(@Sendable () -> ChunkIterator)
  }

  let kind: Kind

  /// Bytes in memory.
  public static func data(_ data: Data) -> Self { Self(kind: .data(data)) }

  /// A file, read through a window.
  public static func file(_ url: URL) -> Self { Self(kind: .file(url)) }

  /// Pieces as they arrive, such as the body of a response; cut anywhere.
  public static func chunks<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) -> Self
  where Chunks.Element == Data {
    Self(kind: .chunks { ChunkIterator(chunks) })
  }
}

/// An iterator of pieces without its type.
final class ChunkIterator {
  let next: nonisolated(nonsending) () async throws -> Data?

  init<Chunks: AsyncSequence>(_ chunks: Chunks) where Chunks.Element == Data {
    var iterator = chunks.makeAsyncIterator()
    next = { try await iterator.next(isolation: #isolation) }
  }
}

/// Reads a source piece by piece.
struct ChunkReader {
  /// Large enough that the calls cost nothing, small enough to stay in the cache.
  static let size = 128 * 1024

  private enum State {
    case data(Data)
    case file(FileHandle)
    case chunks(ChunkIterator)
  }

  private var state: State
  /// The source's size in bytes, if it is known.
  let totalBytes: Int?

  init(_ source: JSONSource) throws(ImportError) {
    switch source.kind {
    case .data(let data):
      state = .data(data)
      totalBytes = data.count
    case .file(let url):
      do {
        state = .file(try FileHandle(forReadingFrom: url))
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        totalBytes = (attributes[.size] as? NSNumber)?.intValue
      } catch {
        throw .source(error)
      }
    case .chunks(let make):
      state = .chunks(make())
      totalBytes = nil
    }
  }

  /// The next piece; nil at the end.
  nonisolated(nonsending) mutating func next() async throws(ImportError) -> Data? {
    do {
      switch state {
      case .data(let data):
        if data.isEmpty { return nil }
        state = .data(data.dropFirst(Self.size))
        return data.prefix(Self.size)
      case .file(let handle):
        let piece = try handle.read(upToCount: Self.size)
        return piece?.isEmpty == false ? piece : nil
      case .chunks(let iterator): return try await iterator.next()
      }
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .source(error)
    }
  }
}
