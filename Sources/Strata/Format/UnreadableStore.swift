/// The treatment of a store that cannot be read when it is opened.
///
/// ```swift
/// options.ifUnreadable = .rebuild(keeping: 1)
/// let stack = try await Stack.open(Song.self, at: url, options: options)
/// if let old = stack.setAside { print("set aside:", old.error) }
/// ```
public enum UnreadableStore: Sendable, Hashable {
  /// The extent of the check when a store is opened.
  public enum Probe: Sendable, Hashable {
    /// Checks only the parts that opening reads anyway: the header and the tables' definitions.
    ///
    /// Damage elsewhere is found by the fetch that meets it, as an error with code `notADatabase`.
    case opening
    /// Reads and checks every page (`PRAGMA quick_check`).
    ///
    /// Indexes are not compared with their tables. The check takes as long as reading the whole
    /// file.
    case wholeFile
  }

  /// Opening throws, and the file stays where it is.
  case fail
  /// The file is set aside and a new, empty store is created, for data that can be fetched again.
  ///
  /// A store is unreadable if it is damaged or not a database (`notADatabase`), or if it has other
  /// tables than the model and cannot be migrated (`schemaMismatch`, `migrationFailed`). A file
  /// that is locked, may not be opened, finds no space, or belongs to another program is not
  /// unreadable in this sense.
  ///
  /// - Parameters:
  ///   - keeping: the number of files that were set aside and are kept, the newest ones; 0 or less
  ///     deletes all of them.
  ///   - probe: the extent of the check.
  ///   - includesNewer: whether a store that a newer version of the program wrote is set aside,
  ///     too.
  case rebuild(keeping: Int = 1, probe: Probe = .opening, includesNewer: Bool = false)
}

extension UnreadableStore {
  /// Whether a store that could not be opened because of an error is to be rebuilt.
  func rebuilds(after error: StoreError) -> Bool {
    guard case .rebuild(_, _, let includesNewer) = self else { return false }
    switch error.code {
    // Without an SQLite code, the file is a sound database of another program.
    case .notADatabase: return error.sqliteCode != nil
    case .schemaMismatch, .migrationFailed: return true
    case .newerStore: return includesNewer
    default: return false
    }
  }

  var probe: Probe { if case .rebuild(_, let probe, _) = self { probe } else { .opening } }
  var kept: Int { if case .rebuild(let kept, _, _) = self { kept } else { 0 } }
}
