internal import Foundation
internal import Strata

/// A buffer in a file without a name, between a writer of arriving bytes and a slower reader.
final class Spool: Sendable {
  private let file: Int32
  private let state = Lock(SpoolState())

  init() throws {
    let folder = FileManager.default.temporaryDirectory
    var path = Array(folder.appendingPathComponent("strata-XXXXXX").path.utf8CString)
    file = mkstemp(&path)
    guard file >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    unlink(path)
  }

  deinit { close(file) }

  /// Adds bytes. Only one thread may write.
  func write(_ data: Data) throws {
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(
          file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0 {
          if errno == EINTR { continue }
          throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        rest = rest.dropFirst(count)
      }
    }
    state.withLock { $0.write(data.count) }?.resume()
  }

  /// Declares the end of the bytes, or the error that ended them. Only the first call counts.
  func end(_ error: (any Error)?) {
    state.withLock { $0.end(error) }?.resume()
  }

  /// Waits for bytes after an offset and returns them; returns empty data at the end.
  nonisolated(nonsending) func read(from offset: Int, atMost limit: Int) async throws -> Data {
    let end = try await state.awaiting { $0.wait(past: offset, $1) }.get()
    var data = Data(count: min(limit, end - offset))
    let count = data.withUnsafeMutableBytes { buffer in
      var count: Int
      repeat {
        count = pread(file, buffer.baseAddress, buffer.count, off_t(offset))
      } while count < 0
        && errno == EINTR
      return count
    }
    guard count == data.count else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    return data
  }
}

/// The state of a spool, with the waiting reader.
///
/// ```
/// arriving ─ wait past the end → awaited ─ write → arriving;  any ─ end → ended
/// ```
/// The bytes stay readable in `ended`: a reader gets all bytes, then the error or the end.
struct SpoolState {
  typealias Consumer = DirectContinuation<Result<Int, any Error>>

  private enum State {
    /// Bytes may follow, and the reader does not wait for them.
    case arriving
    /// The reader waits for bytes that have not arrived.
    case awaited(Consumer)
    /// No bytes follow.
    case ended((any Error)?)
  }

  /// A waiting reader and its result. Call `resume` outside of the lock.
  struct Answer: Sendable {
    let consumer: Consumer
    let result: Result<Int, any Error>

    func resume() { consumer.resume(returning: result) }
  }

  private var state = State.arriving
  private var count = 0

  mutating func write(_ added: Int) -> Answer? {
    switch state {
    case .arriving:
      count += added
      return nil
    case .awaited(let consumer):
      count += added
      state = .arriving
      return Answer(consumer: consumer, result: .success(count))
    case .ended:
      return nil
    }
  }

  mutating func end(_ error: (any Error)?) -> Answer? {
    switch state {
    case .arriving:
      state = .ended(error)
      return nil
    case .awaited(let consumer):
      state = .ended(error)
      return Answer(consumer: consumer, result: error.map { .failure($0) } ?? .success(count))
    case .ended:
      return nil
    }
  }

  /// Returns the number of bytes, or keeps the reader until there are more than `offset`.
  mutating func wait(past offset: Int, _ consumer: Consumer) -> Result<Int, any Error>? {
    if count > offset { return .success(count) }
    switch state {
    case .arriving:
      state = .awaited(consumer)
      return nil
    case .awaited:
      fatalError("a spool has one reader, and it waits already")
    case .ended(let error):
      return error.map { .failure($0) } ?? .success(count)
    }
  }
}
