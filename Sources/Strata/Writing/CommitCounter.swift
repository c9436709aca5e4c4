internal import StrataSQLite

/// The number of the newest commit, and the detection of foreign commits.
final class CommitCounter {
  /// The foreign commits since the last look.
  enum Finding {
    case nothing
    /// Commits up to a number. The history may have each of them.
    case commits(upTo: Int64)
    /// Changes without a number of their own.
    ///
    /// A program wrote without counting, or an older file took the store's place.
    case unknown(upTo: Int64)
  }

  /// The newest commit that was published.
  private(set) var number: Int64
  /// The number in the store when `dataVersion` was read.
  private var counted: Int64
  /// SQLite's counter, which changes with every commit of another connection.
  private var dataVersion: Int64
  /// The mark in the store when `dataVersion` was read.
  private(set) var mark: LogMark

  init(_ opened: OpenedState) {
    (number, counted, dataVersion) = (opened.commit, opened.commit, opened.dataVersion)
    mark = opened.mark
  }

  /// Returns whether no other connection has committed since the last look, counted or not.
  func isCurrent(_ connection: Connection) throws(StoreError) -> Bool {
    try StoredCommit.dataVersion(connection) == dataVersion
  }

  /// Compares the state that the open transaction sees with the last look.
  func look(_ connection: Connection) throws(StoreError) -> Finding {
    var (stored, mark) = try StoredCommit.readMarked(connection)
    let version = try StoredCommit.dataVersion(connection)
    // The first commit of a session writes nothing but its mark.
    let isSession = mark.session != self.mark.session && mark.count == 0
    if mark.session == self.mark.session && self.mark.isInFile { mark.isInFile = true }
    let isUncounted = version != dataVersion && stored == counted && !isSession
    (dataVersion, counted, self.mark) = (version, stored, mark)
    if stored > number { return .commits(upTo: stored) }
    return stored < number || isUncounted ? .unknown(upTo: stored) : .nothing
  }

  /// Notes that commits up to a number are published.
  func didPublish(_ number: Int64) { self.number = number }

  /// Notes that the newest commit is this connection's.
  func didCommit() { counted = number }

  /// Notes that the file has the session of the mark.
  func didReachFile() { mark.isInFile = true }

  /// Notes that this connection has written a mark.
  func didWrite(_ mark: LogMark) { self.mark = mark }

  /// Starts to watch through another connection.
  ///
  /// - Parameters:
  ///   - version: the connection's data version.
  ///   - isUnchanged: whether no program has written since the last look.
  func didReopen(at version: Int64, isUnchanged: Bool) { dataVersion = isUnchanged ? version : -1 }
}
