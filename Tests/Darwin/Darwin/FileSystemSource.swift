public import Dispatch
@_exported public import Glibc

/// Opens a file for its events alone.
public let O_EVTONLY = O_RDONLY

/// A source of the events of one file, as Dispatch declares it on Darwin.
public protocol DispatchSourceFileSystemObject {
  func setEventHandler(handler: @escaping @Sendable () -> Void)
  func setCancelHandler(handler: @escaping @Sendable () -> Void)
  func resume()
  func cancel()
}

extension DispatchSource {
  public static func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue?
  ) -> any DispatchSourceFileSystemObject {
    FileSystemSource(fileDescriptor, eventMask, queue)
  }
}

extension DispatchSource.FileSystemEvent {
  /// The events of inotify. It tells of the removal of an open file as a change of the number of links.
  fileprivate var inotify: UInt32 {
    var mask: UInt32 = 0
    if contains(.write) { mask |= UInt32(IN_MODIFY) }
    if contains(.delete) { mask |= UInt32(IN_DELETE_SELF | IN_ATTRIB) }
    if contains(.attrib) { mask |= UInt32(IN_ATTRIB) }
    if contains(.rename) { mask |= UInt32(IN_MOVE_SELF) }
    return mask
  }
}

/// The events of a file, as inotify tells them.
private struct FileSystemSource: DispatchSourceFileSystemObject {
  private let instance: Int32
  private let source: any DispatchSourceRead

  init(_ file: Int32, _ mask: DispatchSource.FileSystemEvent, _ queue: DispatchQueue?) {
    instance = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    precondition(instance >= 0, "no room for another inotify instance")
    let watch = inotify_add_watch(instance, "/proc/self/fd/\(file)", mask.inotify)
    precondition(watch >= 0, "the file cannot be watched")
    source = DispatchSource.makeReadSource(fileDescriptor: instance, queue: queue)
  }

  func setEventHandler(handler: @escaping @Sendable () -> Void) {
    let instance = instance
    source.setEventHandler { @Sendable in
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
        while read(instance, buffer.baseAddress, buffer.count) > 0 {}
      }
      handler()
    }
  }

  func setCancelHandler(handler: @escaping @Sendable () -> Void) {
    let instance = instance
    source.setCancelHandler { @Sendable in
      close(instance)
      handler()
    }
  }

  func resume() { source.resume() }
  func cancel() { source.cancel() }
}
