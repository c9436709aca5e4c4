internal import Strata

/// The work of a pull beside the rows that have changed.
struct PullOrder {
  /// Whether all rows are compared, because the app has asked for it.
  var readsAll = false
  /// Whether the server's database is followed, although the store may have the rows of another one.
  var adoptsDatabase = false
  /// The rows whose edits were given up, by the name of their table.
  var reverted: [String: Set<RecordKey>] = [:]
  /// The rows that a verification suspects, by the name of their table.
  var suspects: [String: Set<RecordKey>] = [:]
  var withheld = Withheld.none

  /// The withheld rows that a pull reads again.
  enum Withheld: Equatable {
    /// The store has none.
    case none
    /// The rows whose unique values other rows had, where a row has changed.
    case duplicates
    /// All: the program may be another one than before.
    case all
  }
}

/// The result of a pull, or of a page of a copy.
struct PullOutcome {
  /// The state of the replica from here on.
  var state: StoredState
  /// The server's knowledge of the last push; nil for a page of a copy.
  var push: PushState.Outcome?
  /// The server's knowledge of the replica when the pull began.
  var client: ServerClient?
  /// Whether the server had news.
  var found = true
  /// Whether the pull has made a commit of the store.
  var isApplied = false
  /// Whether the store withholds rows of the server after the commit.
  var hasWithheld = false
  /// Whether the reading of all rows begins.
  var beginsCopy = false
  /// The edits that wait and that conflict with the rows.
  var conflicts: [Conflict] = []
  /// The rows of the store that lost a conflict to another host.
  var replaced: [ReplacedRow] = []
  /// The rows that a verification suspects; nil if this pull does not tell of them.
  var suspects: [ServerRows]?
}
