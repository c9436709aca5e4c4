internal import Foundation

/// The path of a store, as it was given and as the file has it.
///
/// A file can have several names: through symbolic links, with `..`, in other cases of letters, or
/// relative to a folder that changes. SQLite puts the log beside the file itself. Everything else
/// that lies beside a store goes there, too, so that all stacks of a file meet.
struct StorePath: Sendable, Hashable {
  /// The name that the program uses, made absolute.
  let given: String
  /// The name of the file itself.
  let canonical: String

  /// The maximum number of symbolic links to follow, like the system's own limit.
  private static let linkLimit = 32

  init(_ path: String) {
    let isAbsolute = path.hasPrefix("/")
    given = isAbsolute ? path : FileManager.default.currentDirectoryPath + "/" + path
    canonical = Self.file(at: given)
  }

  /// Returns the canonical name of a file that need not exist yet.
  private static func file(at path: String) -> String {
    var path = path
    for _ in 0..<linkLimit {
      if let existing = resolved(path) { return existing }
      // A new store lies in an existing folder, or behind a link to a missing file.
      let folder = (path as NSString).deletingLastPathComponent
      let parent = resolved(folder) ?? folder
      let name = (parent as NSString).appendingPathComponent((path as NSString).lastPathComponent)
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        return name
      }
      let isAbsolute = target.hasPrefix("/")
      path = isAbsolute ? target : (parent as NSString).appendingPathComponent(target)
    }
    return path
  }

  /// Returns the name without links, `.` and `..`, in the letters that the folder has; nil if
  /// nothing is there.
  private static func resolved(_ path: String) -> String? {
    guard let name = realpath(path, nil) else { return nil }
    defer { free(name) }
    return String(cString: name)
  }
}
