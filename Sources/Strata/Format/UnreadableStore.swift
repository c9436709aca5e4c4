/// What opening does with a store that cannot be read.
public enum UnreadableStore: Sendable, Hashable {
  /// How closely a store is looked at when it is opened.
  public enum Probe: Sendable, Hashable {
    /// What opening reads anyway: the header, the tables' definitions. Damage elsewhere is found by
    /// the fetch that meets it, as an error with code `notADatabase`.
    case opening
    /// Every page is read and checked (`PRAGMA quick_check`), without indexes against tables: takes
    /// as long as reading the whole file.
    case wholeFile
  }

  /// Opening throws, and the file stays where it is.
  case fail
  /// The file is set aside and a new, empty store is created: for what can be fetched again.
  ///
  /// A store is unreadable if it is damaged or not a database (`notADatabase`), or has other tables
  /// than the model and cannot be migrated (`schemaMismatch`, `migrationFailed`). A file that is
  /// locked, may not be opened, finds no space, or belongs to another program is none of that.
  ///
  /// - Parameters:
  ///   - keeping: how many files that were set aside are kept, the newest ones; 0 or less
  ///     deletes them.
  ///   - probe: how closely the store is looked at.
  ///   - includesNewer: whether a store that a newer version of the program wrote is set aside,
  ///     too.
  case rebuild(keeping: Int = 1, probe: Probe = .opening, includesNewer: Bool = false)
}

extension UnreadableStore {
  /// Whether a store that could not be opened for this reason is to be rebuilt.
  func rebuilds(after error: StoreError) -> Bool {
    guard case .rebuild(_, _, let includesNewer) = self else { return false }
    switch error.code {
    // Without a code of SQLite's it is a sound database of another program.
    case .notADatabase: return error.sqliteCode != nil
    case .schemaMismatch, .migrationFailed: return true
    case .newerStore: return includesNewer
    default: return false
    }
  }

  var probe: Probe { if case .rebuild(_, let probe, _) = self { probe } else { .opening } }
  var kept: Int { if case .rebuild(let kept, _, _) = self { kept } else { 0 } }
}
