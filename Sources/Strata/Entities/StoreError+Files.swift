internal import Foundation
internal import StrataSQLite

// The words for errors of SQLite and of files. SQLite's own phrases are for programmers, and tell
// neither the file nor a remedy.

extension StoreError {
  /// The remedy for a file that cannot be read.
  static let restoring =
    "restore the file from a copy, or move it away; Stack.Options.ifUnreadable = .rebuild() does that "
    + "for a cache"

  private static let unopened = "the store, or a file beside it, cannot be opened"

  /// The codes of errors that are about a file, whose path is in the message.
  private static let ofFiles: Set<Code> = [
    .notADatabase, .cannotOpen, .diskFull, .inputOutput, .busy,
  ]

  /// Creates the public error for an error of SQLite.
  init(_ error: SQLiteError) {
    let (code, words, advice) = Self.words(error)
    let path = Self.ofFiles.contains(code) ? error.path : nil
    self.init(code, words.named(path), advice: advice)
    sqliteCode = error.code
    sql = error.sql
  }

  private static func words(_ error: SQLiteError) -> (Code, String, String) {
    let detail = error.detail.map { ": \($0)" } ?? ""
    return if error.isInterrupted {
      (.cancelled, "the task was cancelled", "run it again")
    } else if error.isFull {
      (.diskFull, "the disk is full", "free some space and save again: nothing was lost")
    } else if error.isBusy {
      (
        .busy, "another program or stack has the store locked",
        "try again, or raise Stack.Options.busyTimeout"
      )
    } else if error.isNotADatabase {
      (
        .notADatabase, "the file is no store, or its beginning is damaged",
        "open another file, or restore this one from a copy; Stack.Options.ifUnreadable = .rebuild() "
          + "moves it away"
      )
    } else if error.isCorrupt {
      (.notADatabase, "the file is damaged\(detail)", restoring)
    } else if error.isWithoutLog {
      (.cannotOpen, error.message, "keep the store on a local disk")
    } else if error.isReadOnly {
      (
        .cannotOpen, "the file or its folder may not be written",
        "make the file and its folder writable and try again: nothing was lost"
      )
    } else if error.hasTooManyFiles {
      (.cannotOpen, "the app has too many files open", "close some of them, then try again")
    } else if error.cannotOpen {
      (
        .cannotOpen, unopened,
        "check that the folder exists and that it and the file can be written"
      )
    } else if error.isInputOutput {
      (
        .inputOutput, "the disk cannot be read or written",
        "check the disk, then try again; if it goes on, close the stack and open it again"
      )
    } else if error.isOutOfMemory {
      (.outOfMemory, "the memory is full", "free some memory and try again: nothing was lost")
    } else if error.isTooComplex {
      (
        .invalidQuery, "the query is too large\(detail)",
        "ask for less at once: nest the conditions less, or list values by isIn"
      )
    } else if error.isMalformedSearch {
      (
        .invalidQuery, "the search expression cannot be read\(detail)",
        "correct the search expression, or search for words"
      )
    } else if error.isTooBig {
      (
        .invalidValue, "a value is larger than a store can hold",
        "store large data in files and keep their names here"
      )
    } else {
      (.sqlite, "SQLite reports an error: \(error.message)", "report it with the code and the SQL")
    }
  }

  /// Returns the error with the path of a store after its message, and with the reason if the file
  /// cannot be opened.
  func at(_ path: String) -> StoreError {
    let fault = message.hasPrefix(Self.unopened) ? FileFault(path) : nil
    var copy = StoreError(
      code, (fault?.message ?? message).named(path), advice: fault?.advice ?? advice,
      entity: entity, attributes: attributes, keys: keys)
    copy.sqliteCode = sqliteCode
    copy.sql = sql
    return copy
  }
}

extension String {
  /// Returns the message with a path at the end of its first line, unless it has the path already.
  fileprivate func named(_ path: String?) -> String {
    guard let path, !contains(path) else { return self }
    guard let end = firstIndex(of: "\n") else { return "\(self) (\(path))" }
    return "\(self[..<end]) (\(path))\(self[end...])"
  }
}

/// The reason why the file of a store cannot be opened, as its folder shows it.
private struct FileFault {
  let message: String
  let advice: String

  /// Looks at a file and its folder; nil if they show no reason.
  init?(_ path: String) {
    let files = FileManager.default
    let folder = (path as NSString).deletingLastPathComponent
    func exists(_ path: String) -> (Bool, isFolder: Bool) {
      var isFolder: ObjCBool = false
      let exists = files.fileExists(atPath: path, isDirectory: &isFolder)
      return (exists, isFolder.boolValue)
    }
    switch (exists(folder), exists(path)) {
    case ((false, _), _):
      message = "the folder \(folder) does not exist"
      advice =
        "create it before the store: FileManager.createDirectory(at:withIntermediateDirectories:)"
    case ((true, isFolder: false), _):
      message = "\(folder) is a file and no folder"
      advice = "choose a folder for the store"
    case (_, (true, isFolder: true)):
      message = "\(path) is a folder and no file"
      advice = "add the name of the store's file to the URL"
    case (_, (true, _)) where !files.isReadableFile(atPath: path):
      message = "the file may not be read"
      advice = "check its permissions; before the first unlock of a device, try again later"
    case (_, (let isThere, _)) where !isThere || !files.isWritableFile(atPath: folder):
      message = "the folder \(folder) may not be written"
      advice = "choose a folder that the app may write, such as Application Support"
    default: return nil
    }
  }
}
