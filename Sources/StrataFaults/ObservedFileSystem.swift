internal import CStrataSQLite
internal import Strata
internal import Foundation

/// An SQLite VFS over the default one that reports calls to observers.
///
/// Calls on files without an observer pass through unchanged.
package enum ObservedFileSystem {
  /// The observer of a store's files.
  private struct Entry: Sendable {
    /// The beginning of the files' names as SQLite spells them, without symbolic links.
    let prefix: String
    let observer: any FileObserver
  }

  /// The observers by the path under which they know the store.
  private static let observers = Lock<[String: Entry]>([:])

  /// The result code of registering the file system as the process's default.
  private static let installed: Int32 = install()

  /// Reports every file whose path begins with a store's path to an observer.
  ///
  /// Only files that are opened after this call are reported. If the path contains symbolic links,
  /// the observer receives the files' names under the path that is given here.
  package static func observe(_ path: String, with observer: any FileObserver) {
    guard installed == SQLITE_OK else {
      fatalError("SQLite refused the file system with code \(installed)")
    }
    let entry = Entry(prefix: fullPath(path), observer: observer)
    observers.withLock { $0[path] = entry }
  }

  /// Stops reporting files that are opened from this call on, unless another observer has replaced
  /// this one.
  package static func endObserving(_ path: String, with observer: any FileObserver) {
    observers.withLock { observers in
      if observers[path]?.observer === observer { observers[path] = nil }
    }
  }

  /// Returns a file's observer, with the file's path as the observer knows it.
  fileprivate static func observation(of path: String) -> Observation? {
    observers.withLock { observers in
      observers.first { path.hasPrefix($0.value.prefix) }.map { known, entry in
        Observation(entry.observer, known + path.dropFirst(entry.prefix.count))
      }
    }
  }

  /// Returns a path as SQLite opens it.
  private static func fullPath(_ path: String) -> String {
    guard let system = sqlite3_vfs_find(nil), let method = system.pointee.xFullPathname else {
      return path
    }
    let size = system.pointee.mxPathname + 1
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(size)) { full in
      let code = method(system, path, size, full.baseAddress)
      guard code & 0xFF == SQLITE_OK, let base = full.baseAddress else { return path }
      return String(cString: base)
    }
  }

  private static func install() -> Int32 {
    guard let base = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
    // Never freed: SQLite keeps the pointers.
    let context = UnsafeMutablePointer<Context>.allocate(capacity: 1)
    context.initialize(
      to: Context(
        base: base, methods: ObservedFile.methods(version: 2),
        methodsWithoutSharing: ObservedFile.methods(version: 1)))
    let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    system.initialize(to: base.pointee)
    system.pointee.zName = UnsafePointer(strdup("strata-observed"))
    system.pointee.pNext = nil
    system.pointee.pAppData = UnsafeMutableRawPointer(context)
    system.pointee.szOsFile = Int32(ObservedFile.headerSize) + base.pointee.szOsFile
    system.pointee.xOpen = { system, name, file, flags, outFlags in
      guard let context = Context.of(system), let file else { return SQLITE_MISUSE }
      return ObservedFile.open(file, name, flags, outFlags, context)
    }
    system.pointee.xDelete = { system, name, syncsFolder in
      guard let context = Context.of(system), let name else { return SQLITE_MISUSE }
      let observation = ObservedFileSystem.observation(of: String(cString: name))
      let observer = observation?.observer
      let path = observation?.path ?? ""
      if let code = observer?.failure(of: .delete, path) { return code }
      let code = context.base.pointee.xDelete(context.base, name, syncsFolder)
      if code == SQLITE_OK { observer?.didDelete(path) }
      return code
    }
    return sqlite3_vfs_register(system, 1)
  }
}

/// The value behind the file system's `pAppData` pointer.
private struct Context {
  let base: UnsafeMutablePointer<sqlite3_vfs>
  let methods: UnsafePointer<sqlite3_io_methods>
  let methodsWithoutSharing: UnsafePointer<sqlite3_io_methods>

  static func of(_ system: UnsafeMutablePointer<sqlite3_vfs>?) -> Context? {
    system?.pointee.pAppData?.assumingMemoryBound(to: Context.self).pointee
  }
}

/// A file's observer, with the path under which the observer knows the file.
private final class Observation: Sendable {
  let observer: any FileObserver
  let path: String

  init(_ observer: any FileObserver, _ path: String) {
    self.observer = observer
    self.path = path
  }
}

/// A file as SQLite holds it: the methods, the observer, and behind them the system's own file.
private struct ObservedFile {
  /// The part that SQLite knows. It has to come first.
  var base = sqlite3_file()
  var observation: Unmanaged<Observation>?

  /// SQLite aligns a file to eight bytes.
  static let headerSize = (MemoryLayout<ObservedFile>.size + 7) & ~7

  typealias Pointer = UnsafeMutablePointer<sqlite3_file>

  static func observation(of file: Pointer?) -> Observation? {
    guard let file else { return nil }
    return UnsafeRawPointer(file).assumingMemoryBound(to: ObservedFile.self).pointee.observation?
      .takeUnretainedValue()
  }

  static func real(_ file: Pointer?) -> Pointer? {
    guard let file else { return nil }
    return (UnsafeMutableRawPointer(file) + headerSize).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// Calls a method of the system's file, unless the observer makes the call fail.
  static func forward(
    _ file: Pointer?, _ call: FileCall?,
    _ body: (Pointer, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    if let call, let observation = observation(of: file),
      let code = observation.observer.failure(of: call, observation.path)
    {
      return code
    }
    guard let real = real(file), let methods = real.pointee.pMethods else { return SQLITE_MISUSE }
    return body(real, methods.pointee)
  }

  static func open(
    _ file: Pointer, _ name: UnsafePointer<CChar>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?, _ context: Context
  ) -> Int32 {
    // SQLite closes only files with methods, and must not close a file that failed to open.
    file.pointee.pMethods = nil
    let observation = name.flatMap { ObservedFileSystem.observation(of: String(cString: $0)) }
    if let observation, let code = observation.observer.failure(of: .open, observation.path) {
      return code
    }
    guard let real = real(file) else { return SQLITE_MISUSE }
    let code = context.base.pointee.xOpen(context.base, name, real, flags, outFlags)
    guard code == SQLITE_OK else { return code }
    let header = UnsafeMutableRawPointer(file).bindMemory(to: ObservedFile.self, capacity: 1)
    header.initialize(
      to: ObservedFile(
        base: sqlite3_file(
          pMethods: observation?.observer.sharesMemory == false
            ? context.methodsWithoutSharing : context.methods),
        observation: observation.map { Unmanaged.passRetained($0) }))
    return SQLITE_OK
  }

  // MARK: - Methods

  /// Returns the methods of every file.
  ///
  /// They are never freed, because SQLite keeps the pointer.
  ///
  /// - Parameter version: 1 has no shared memory. 2 has shared memory. 3 would have `xFetch`, which
  ///   maps the file. Without `xFetch` every read is a call.
  static func methods(version: Int32) -> UnsafePointer<sqlite3_io_methods> {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = version
    setContents(&methods.pointee)
    setLocks(&methods.pointee)
    setRest(&methods.pointee)
    return UnsafePointer(methods)
  }

  private static func setContents(_ methods: inout sqlite3_io_methods) {
    methods.xRead = { file, bytes, count, offset in
      ObservedFile.forward(file, .read) { $1.xRead($0, bytes, count, offset) }
    }
    methods.xWrite = { file, bytes, count, offset in
      guard let bytes else { return SQLITE_MISUSE }
      let observation = ObservedFile.observation(of: file)
      if let code = observation?.observer.failure(of: .write, observation?.path ?? "") {
        // A write that fails may have written a part.
        _ = ObservedFile.forward(file, nil) { $1.xWrite($0, bytes, count / 2, offset) }
        return code
      }
      let code = ObservedFile.forward(file, nil) { $1.xWrite($0, bytes, count, offset) }
      if code == SQLITE_OK {
        observation?.observer.didWrite(
          observation?.path ?? "", at: offset,
          UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      }
      return code
    }
    methods.xTruncate = { file, size in
      let code = ObservedFile.forward(file, .truncate) { $1.xTruncate($0, size) }
      if code == SQLITE_OK, let observation = ObservedFile.observation(of: file) {
        observation.observer.didTruncate(observation.path, to: size)
      }
      return code
    }
    methods.xSync = { file, flags in
      let code = ObservedFile.forward(file, .sync) { $1.xSync($0, flags) }
      if code == SQLITE_OK, let observation = ObservedFile.observation(of: file) {
        let isFull = flags & 0x0F == SQLITE_SYNC_FULL
        observation.observer.didSync(observation.path, isFull: isFull)
      }
      return code
    }
    methods.xFileSize = { file, size in
      ObservedFile.forward(file, nil) { $1.xFileSize($0, size) }
    }
  }

  private static func setLocks(_ methods: inout sqlite3_io_methods) {
    methods.xLock = { file, level in ObservedFile.forward(file, .lock) { $1.xLock($0, level) } }
    // Unlocking cannot fail.
    methods.xUnlock = { file, level in ObservedFile.forward(file, nil) { $1.xUnlock($0, level) } }
    methods.xCheckReservedLock = { file, isReserved in
      ObservedFile.forward(file, nil) { $1.xCheckReservedLock($0, isReserved) }
    }
    methods.xShmMap = { file, page, size, extends, memory in
      ObservedFile.forward(file, .sharedMap) { $1.xShmMap($0, page, size, extends, memory) }
    }
    methods.xShmLock = { file, offset, count, flags in
      let call: FileCall? = flags & SQLITE_SHM_LOCK != 0 ? .sharedLock : nil
      return ObservedFile.forward(file, call) { $1.xShmLock($0, offset, count, flags) }
    }
    methods.xShmBarrier = { file in
      _ = ObservedFile.forward(file, nil) { real, methods in
        methods.xShmBarrier(real)
        return SQLITE_OK
      }
    }
    methods.xShmUnmap = { file, deletes in
      ObservedFile.forward(file, nil) { $1.xShmUnmap($0, deletes) }
    }
  }

  private static func setRest(_ methods: inout sqlite3_io_methods) {
    methods.xClose = { file in
      let code = ObservedFile.forward(file, nil) { $1.xClose($0) }
      if let file {
        UnsafeRawPointer(file).assumingMemoryBound(to: ObservedFile.self).pointee.observation?
          .release()
      }
      return code
    }
    methods.xFileControl = { file, operation, argument in
      ObservedFile.forward(file, nil) { $1.xFileControl($0, operation, argument) }
    }
    methods.xSectorSize = { file in ObservedFile.forward(file, nil) { $1.xSectorSize($0) } }
    methods.xDeviceCharacteristics = { file in
      ObservedFile.forward(file, nil) { $1.xDeviceCharacteristics($0) }
    }
  }
}
