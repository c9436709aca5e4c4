internal import Strata

/// Records which bytes of a store's files survive a power loss, and which may be lost.
///
/// Each write since a file's last sync may be on the disk or not, independently of the others, and
/// may be there in part. SQLite assumes that a write damages no byte beside it.
package final class PowerLoss: FileObserver {
  /// The files that a power loss at one moment leaves.
  package struct Image: Sendable {
    /// The files' contents by their paths.
    package let files: [String: [UInt8]]
    /// The last commit that was reported to the program as saved.
    package let acknowledged: Int64
  }

  private enum Change: Sendable {
    case write(offset: Int, [UInt8])
    case truncate(Int)
  }

  private struct File: Sendable {
    /// The bytes on the disk; nil if the file may not exist at all.
    var durable: [UInt8]?
    var pending: [Change] = []
  }

  private struct State: Sendable {
    var files: [String: File]
    /// Files whose removal is not on the disk yet.
    var removed: [String: [UInt8]] = [:]
    var random: SplitMix64
    var acknowledged: Int64 = 0
    var images: [Image] = []
  }

  private let state: Lock<State>
  private let odds: UInt64
  private let limit: Int

  /// - Parameters:
  ///   - files: the files that are on the disk at the start.
  ///   - odds: the power is lost before 1 in this many calls that change a file or sync it.
  ///   - limit: the maximum number of images that are kept.
  package init(files: [String: [UInt8]], seed: UInt64, odds: Int, limit: Int) {
    state = Lock(
      State(
        files: files.mapValues { File(durable: $0) }, random: SplitMix64(seed: seed)))
    self.odds = UInt64(max(1, odds))
    self.limit = limit
  }

  /// Records that a commit was reported as saved.
  package func acknowledge(_ commit: Int64) { state.withLock { $0.acknowledged = commit } }

  /// The image of each power loss, in order.
  package var images: [Image] { state.withLock { $0.images } }

  // MARK: - Calls

  package func failure(of call: FileCall, _ file: String) -> Int32? {
    guard [.write, .sync, .truncate, .delete].contains(call) else { return nil }
    state.withLock { state in
      if state.images.count < limit, state.random.next() % odds == 0 {
        state.images.append(Self.image(&state))
      }
    }
    return nil
  }

  package func didWrite(_ file: String, at offset: Int64, _ bytes: UnsafeRawBufferPointer) {
    let bytes = [UInt8](bytes)
    state.withLock {
      $0.files[file, default: File()].pending.append(.write(offset: Int(offset), bytes))
    }
  }

  package func didTruncate(_ file: String, to size: Int64) {
    state.withLock { $0.files[file, default: File()].pending.append(.truncate(Int(size))) }
  }

  package func didSync(_ file: String, isFull: Bool) {
    // A power loss also empties the disk's own cache, so only a full sync counts.
    guard isFull else { return }
    state.withLock { state in
      let known = state.files[file] ?? File()
      var durable = known.durable ?? []
      for change in known.pending { Self.apply(change, to: &durable) }
      state.files[file] = File(durable: durable)
      // The first sync of a new file also syncs its folder.
      state.removed[file] = nil
    }
  }

  package func didDelete(_ file: String) {
    state.withLock { state in
      if let durable = state.files.removeValue(forKey: file)?.durable {
        state.removed[file] = durable
      }
    }
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .truncate(let size):
      if size < bytes.count { bytes.removeLast(bytes.count - size) }
    case .write(let offset, let written):
      let missing = offset + written.count - bytes.count
      if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
      bytes.replaceSubrange(offset..<(offset + written.count), with: written)
    }
  }

  // MARK: - Images

  private static func image(_ state: inout State) -> Image {
    var contents: [String: [UInt8]] = [:]
    for (path, bytes) in state.removed.sorted(by: { $0.key < $1.key })
    where state.random.next() % 2 == 0 {
      contents[path] = bytes
    }
    for (path, file) in state.files.sorted(by: { $0.key < $1.key }) {
      if file.durable == nil && state.random.next() % 4 == 0 { continue }
      var bytes = file.durable ?? []
      // A disk keeps no pending change, all of them, the first ones up to a torn write, or any
      // selection.
      let kind = state.random.next() % 4
      let whole = Int(state.random.next() % UInt64(file.pending.count + 1))
      for (position, change) in file.pending.enumerated() {
        switch kind {
        case 0: break
        case 1: apply(change, to: &bytes)
        case 2:
          if position < whole { apply(change, to: &bytes) }
          if position == whole { apply(torn(change, &state.random), to: &bytes) }
        default:
          switch state.random.next() % 3 {
          case 0: apply(change, to: &bytes)
          case 1: apply(torn(change, &state.random), to: &bytes)
          default: break
          }
        }
      }
      contents[path] = bytes
    }
    return Image(files: contents, acknowledged: state.acknowledged)
  }

  /// The first part of a write.
  private static func torn(_ change: Change, _ random: inout SplitMix64) -> Change {
    guard case .write(let offset, let bytes) = change else { return change }
    let count = Int(random.next() % UInt64(bytes.count + 1))
    return .write(offset: offset, Array(bytes.prefix(count)))
  }
}
