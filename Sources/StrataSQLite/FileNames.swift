internal import CStrataSQLite

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#endif

/// Changes of the names of files, which a loss of power undoes as a whole or not at all.
package enum FileNames {
  /// The end of a change of a name.
  package enum Outcome: Sendable, Equatable {
    case done
    /// A file has the new name, and nothing was changed.
    case isTaken
    /// The system refuses, with this number.
    case failed(Int32)
  }

  /// Gives a file a name that no file has.
  package static func rename(_ path: String, toNew name: String) -> Outcome {
    outcome(strata_rename_new(path, name))
  }

  /// Gives a file a name, which another file then has no longer.
  package static func rename(_ path: String, over name: String) -> Outcome {
    outcome(systemRename(path, name))
  }

  private static func systemRename(_ path: String, _ name: String) -> Int32 {
    #if canImport(Darwin)
      Darwin.rename(path, name)
    #elseif canImport(Glibc)
      Glibc.rename(path, name)
    #elseif canImport(Musl)
      Musl.rename(path, name)
    #elseif canImport(Android)
      Android.rename(path, name)
    #endif
  }

  private static func outcome(_ code: Int32) -> Outcome {
    if code == 0 { return .done }
    return errno == EEXIST ? .isTaken : .failed(errno)
  }

  /// Waits until the names in a folder are on the disk.
  ///
  /// A file system that cannot do that fails, and keeps its names in its own way.
  package static func sync(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return }
    fsync(descriptor)
    close(descriptor)
  }
}
