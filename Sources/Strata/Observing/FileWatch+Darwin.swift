#if canImport(Darwin)
  internal import Darwin
  internal import Dispatch
  internal import Foundation

  /// Calls a handler whenever a file is written to or removed.
  actor FileWatch {
    private let source: any DispatchSourceFileSystemObject

    /// Returns nil if the file does not exist, or if the process has no room for another
    /// descriptor.
    init?(path: String, _ handler: @escaping @Sendable () -> Void) {
      let file = open(path, O_EVTONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      let queue = DispatchQueue(label: "strata.signals", qos: .userInitiated)
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: file, eventMask: [.write, .attrib, .delete, .rename], queue: queue)
      source.setEventHandler { @Sendable in
        handler()
        // A process that commits in a loop wakes itself. During this pause its signals gather into
        // one.
        Thread.sleep(forTimeInterval: 0.002)
      }
      source.setCancelHandler { @Sendable in close(file) }
      source.resume()
      self.source = source
    }

    private func cancel() { source.cancel() }

    /// Ends the watch in a task; calls of the handler may begin until that task runs.
    nonisolated func end() { Task { await cancel() } }
  }
#endif
