internal import Foundation

/// A type-erased iterator of pieces.
final class ChunkIterator {
  let next: nonisolated(nonsending) () async throws -> Data?

  init<Chunks: AsyncSequence>(_ chunks: Chunks) where Chunks.Element == Data {
    var iterator = chunks.makeAsyncIterator()
    next = { try await iterator.next(isolation: #isolation) }
  }

  init<Bytes: AsyncSequence>(gathering bytes: Bytes) where Bytes.Element == UInt8 {
    var iterator = bytes.makeAsyncIterator()
    next = {
      var piece = Data(capacity: 16 * 1024)
      while piece.count < 16 * 1024, let byte = try await iterator.next(isolation: #isolation) {
        piece.append(byte)
      }
      return piece.isEmpty ? nil : piece
    }
  }

  init(_ next: @escaping () async throws -> Data?) { self.next = next }
}

/// Reads a source piece by piece.
struct ChunkReader {
  /// The size of a piece in bytes, large enough that calls cost little, small enough for the cache.
  static let size = 128 * 1024

  private enum State {
    case data(Data)
    case file(FileHandle)
    case chunks(ChunkIterator)
  }

  private var state: State
  private var gunzip: Gunzip?

  init(_ source: JSONSource) throws(ImportError) {
    do {
      switch source.kind {
      case .data(let data): state = .data(data)
      case .file(let url): state = .file(try FileHandle(forReadingFrom: url))
      case .chunks(let make): state = .chunks(try make())
      }
      gunzip = source.isGzip ? Gunzip() : nil
    } catch {
      throw .source(error)
    }
  }

  /// Returns the next piece; nil at the end.
  nonisolated(nonsending) mutating func next() async throws(ImportError) -> Data? {
    do {
      guard gunzip != nil else { return try await stored() }
      while true {
        if let piece = try gunzip?.next() { return piece }
        guard let input = try await stored() else {
          try gunzip?.finish()
          return nil
        }
        gunzip?.append(input)
      }
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .source(error)
    }
  }

  /// Returns the next piece as it comes from the source, before decompression.
  private nonisolated(nonsending) mutating func stored() async throws -> Data? {
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
  }
}
