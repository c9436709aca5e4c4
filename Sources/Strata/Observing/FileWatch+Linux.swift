#if os(Linux) || os(Android)
  internal import Dispatch
  internal import Foundation
  internal import StrataSQLite
  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #elseif canImport(Android)
    internal import Android
  #endif

  /// Calls a handler whenever a file is written to, closed by a writer, or removed.
  final class FileWatch: Sendable {
    private let inotify: Inotify
    private let registration: Inotify.Registration

    /// Returns nil if the file does not exist, or if the system has no room for another watch.
    init?(path: String, _ handler: @escaping @Sendable () -> Void) {
      inotify = JobLanes.make("strata.signals").map(Inotify.init) ?? .shared
      guard let registration = inotify.add(path, handler) else { return nil }
      self.registration = registration
    }

    /// Ends the watch; after this returns, only a call that is already on its way still begins.
    func end() { inotify.remove(registration) }
  }

  /// An inotify instance. All stores of the process share one, because a user has only 128 instances.
  ///
  /// closed ─first watch→ open
  /// open ─last watch ends→ ending ─first watch→ open
  /// ending ─the queue reads the end→ closed
  ///
  /// An instance that ends can be used again. Otherwise stacks that open and close quickly would use
  /// up the instances before the queue closes them.
  private final class Inotify: Sendable {
    struct Registration: Sendable {
      let watch: Int32
      let id: Int
    }

    private struct State: Sendable {
      var instance: Int32?
      var handlers: [Int32: [Int: @Sendable () -> Void]] = [:]
      var lastID = 0

      func handlers(of watches: Set<Int32>) -> [@Sendable () -> Void] {
        let changed = watches.contains(Inotify.everyWatch) ? Set(handlers.keys) : watches
        return changed.flatMap { handlers[$0].map { Array($0.values) } ?? [] }
      }
    }

    static let shared = Inotify(nil)
    private let state = Lock(State())
    /// The lane that delivers events in a simulation, which shares no instance with real threads.
    private let lane: (any JobLane)?

    init(_ lane: (any JobLane)?) { self.lane = lane }

    /// The watch number of the overflow event, which says that events of other watches were
    /// dropped.
    private static let everyWatch: Int32 = -1

    /// A process that commits in a loop wakes itself. During this pause, in seconds, its signals
    /// gather.
    private static let rest = 0.002

    func add(_ path: String, _ handler: @escaping @Sendable () -> Void) -> Registration? {
      state.withLock { state in
        guard let instance = state.instance ?? open() else { return nil }
        let mask = UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB)
        let watch = inotify_add_watch(instance, path, mask)
        guard watch >= 0 else {
          // A new instance has no watch, and no event would ever end it.
          if state.instance == nil { close(instance) }
          return nil
        }
        if state.instance == nil {
          state.instance = instance
          run(instance)
        }
        state.lastID += 1
        state.handlers[watch, default: [:]][state.lastID] = handler
        return Registration(watch: watch, id: state.lastID)
      }
    }

    /// The instances that ended simulations have left. The system takes milliseconds to close an
    /// instance, and a simulation must not wait for that.
    private static let spare = Lock<[Int32]>([])

    private func open() -> Int32? {
      if lane != nil, let spare = Self.spare.withLock({ $0.popLast() }) { return spare }
      let instance = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      return instance < 0 ? nil : instance
    }

    func remove(_ registration: Registration) {
      state.withLock { state in
        guard let instance = state.instance,
          state.handlers[registration.watch]?.removeValue(forKey: registration.id) != nil,
          state.handlers[registration.watch]?.isEmpty == true
        else { return }
        state.handlers[registration.watch] = nil
        // The removal of the watch is an event. It wakes the queue, which closes an instance without
        // a watch.
        if inotify_rm_watch(instance, registration.watch) == 0 || !state.handlers.isEmpty { return }
        // The file is gone, and its watch has had that event already. The removal of another watch
        // makes a new event.
        let other = inotify_add_watch(instance, "/", UInt32(IN_DELETE_SELF))
        if other >= 0 { inotify_rm_watch(instance, other) }
      }
    }

    /// Delivers events until the last watch ends.
    private func run(_ instance: Int32) {
      if let lane {
        return lane.poll {
          let goesOn = self.deliverEvents(of: instance)
          if !goesOn { Self.spare.withLock { $0.append(instance) } }
          return goesOn
        }
      }
      let queue = DispatchQueue(label: "strata.signals", qos: .userInitiated)
      let source = DispatchSource.makeReadSource(fileDescriptor: instance, queue: queue)
      source.setEventHandler {
        // The event handler keeps its source alive until this cancellation.
        guard self.deliverEvents(of: instance) else { return source.cancel() }
        Thread.sleep(forTimeInterval: Self.rest)
      }
      source.setCancelHandler { close(instance) }
      source.resume()
    }

    /// Calls the handlers of the watches that have events; returns false if no watch is left.
    private func deliverEvents(of instance: Int32) -> Bool {
      let watches = Self.readEvents(instance)
      let handlers: [@Sendable () -> Void]? = state.withLock { state in
        if state.handlers.isEmpty {
          state.instance = nil
          return nil
        }
        return state.handlers(of: watches)
      }
      for handler in handlers ?? [] { handler() }
      return handlers != nil
    }

    /// Reads all available events, and returns their watches.
    private static func readEvents(_ instance: Int32) -> Set<Int32> {
      var watches: Set<Int32> = []
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
        while true {
          let count = read(instance, buffer.baseAddress, buffer.count)
          guard count > 0 else { return }
          let size = MemoryLayout<inotify_event>.size
          var offset = 0
          while offset + size <= count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            watches.insert(event.wd)
            offset += size + Int(event.len)
          }
        }
      }
      return watches
    }
  }
#endif
