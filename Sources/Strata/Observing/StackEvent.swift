public import Foundation

/// An event in a stack's life that is worth a log entry.
///
/// ``StackOptions/log`` receives the events. The case identifies the event, so no text has to be
/// parsed. A logger uses the ``level``, the ``message`` and the ``metadata``. An event has no
/// contents of rows, except for the records that an import has refused. Cases may be added, so a
/// `switch` needs a `default`.
///
/// ```swift
/// options.log = { event in
///   if event.level >= .warning { print(event.message, event.metadata) }
/// }
/// ```
public enum StackEvent: Sendable {
  /// The importance of an event.
  public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// An event of every run.
    case debug
    /// An event that happens now and then.
    case info
    /// An event that costs time or space: investigate it if it happens often.
    case warning
    /// An event that requires an action.
    case error

    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// The stack is open.
  ///
  /// `commit` is the store's newest commit. `duration` is the time that opening took, migration
  /// included.
  case opened(commit: Int64, duration: Duration)
  /// The store was migrated to the program's schema.
  ///
  /// `duration` is the time that the migration took.
  case migrated(MigrationPlan, duration: Duration)
  /// The stack made indexes that an import had deferred, because the import's process was killed.
  case builtDeferredIndexes(count: Int, duration: Duration)
  /// The store could not be read, and made room for a new store.
  case setAside(SetAsideStore)
  /// A log or a rollback journal lay beside the store's file that belongs to an earlier file at the path.
  ///
  /// The file was replaced, for example by a backup, and the log or the journal was moved to the URL.
  case logSetAside(URL)
  /// The stack has closed its file until it resumes.
  case suspended
  /// The stack has opened its file again.
  case resumed
  /// The stack is closed.
  case closed
  /// A transaction blocked other writes for at least ``StackOptions/slowCommit``.
  ///
  /// `rows` is the number of changed rows. A table whose changes are a reset adds none.
  case slowCommit(commit: Int64, rows: Int, duration: Duration)
  /// A transaction failed because of the disk or SQLite, and changed nothing.
  case commitFailed(StoreError)
  /// The writer closed its connection after a failed transaction.
  ///
  /// Either the transaction could not be rolled back, and closing the connection rolls it back. Or
  /// SQLite itself rolled back within a statement, because the disk failed or memory ran out. The
  /// connection may then remember its full-text indexes wrongly.
  case connectionClosed
  /// The writer has opened a new connection after ``connectionClosed``.
  case connectionReopened
  /// The write-ahead log is twice as long as it should be, or has doubled again.
  ///
  /// `bytes` is the length of the log. `snapshots` are the snapshots of older commits that keep the
  /// log from being restarted, with their holders.
  case logRetained(bytes: Int, snapshots: [StackDiagnostics.Snapshot])
  /// The log could not be written back into the file, and still holds every commit.
  case checkpointFailed(StoreError)
  /// A read failed because of the disk or SQLite.
  case readFailed(StoreError)
  /// A live query cannot be run, so its list stays empty.
  ///
  /// In a debug build without a ``StackOptions/log``, the event is printed to standard error.
  case queryRefused(StoreError)
  /// The tables were changed by another program, so the view context shows no newer commit.
  case schemaChanged
  /// An import left out records.
  ///
  /// `first` describes the first of them. The import's options say how many.
  case importRefused(records: Int, first: [String])
}

extension StackEvent {
  /// The importance of the event.
  public var level: Level {
    switch self {
    case .opened, .suspended, .resumed, .closed: .debug
    case .migrated, .builtDeferredIndexes, .connectionReopened: .info
    case .slowCommit, .connectionClosed, .logRetained, .logSetAside, .importRefused: .warning
    case .setAside, .commitFailed, .checkpointFailed, .readFailed, .queryRefused, .schemaChanged:
      .error
    }
  }

  /// The text that all events of a case share.
  public var message: String {
    switch self {
    case .opened: "opened the store"
    case .migrated: "migrated the store"
    case .builtDeferredIndexes: "made indexes that an import had put off"
    case .setAside: "set aside a store that could not be read"
    case .logSetAside: "set aside the log of an earlier file"
    case .suspended: "suspended"
    case .resumed: "resumed"
    case .closed: "closed the store"
    case .slowCommit: "a commit was slow"
    case .commitFailed: "a commit failed"
    case .connectionClosed: "closed the connection after a failed transaction"
    case .connectionReopened: "opened the connection again"
    case .logRetained: "the log grows, as old states are held"
    case .checkpointFailed: "the log could not be written back"
    case .readFailed: "a read failed"
    case .queryRefused: "a live query cannot be run"
    case .schemaChanged: "another program changed the tables"
    case .importRefused: "an import left out records"
    }
  }

  /// The particulars of this event, by name.
  public var metadata: [String: String] {
    switch self {
    case .opened(let commit, let duration): ["commit": "\(commit)", "duration": "\(duration)"]
    case .migrated(let plan, let duration):
      [
        "from": plan.storedVersion.map { "\($0)" } ?? "nothing", "to": "\(plan.version)",
        "duration": "\(duration)",
        "actions": plan.actions.map(\.description).joined(separator: "; "),
      ]
    case .builtDeferredIndexes(let count, let duration):
      ["count": "\(count)", "duration": "\(duration)"]
    case .setAside(let store): ["url": store.url?.path ?? "", "error": "\(store.error)"]
    case .logSetAside(let url): ["url": url.path]
    case .slowCommit(let commit, let rows, let duration):
      ["commit": "\(commit)", "rows": "\(rows)", "duration": "\(duration)"]
    case .logRetained(let bytes, let snapshots):
      [
        "bytes": "\(bytes)",
        "holders": snapshots.flatMap(\.holders).map(\.description).joined(separator: ", "),
      ]
    case .commitFailed(let error), .checkpointFailed(let error), .readFailed(let error),
      .queryRefused(let error):
      ["error": "\(error)", "code": "\(error.code)"]
    case .importRefused(let records, let first):
      ["records": "\(records)", "first": first.joined(separator: "; ")]
    case .suspended, .resumed, .closed, .connectionClosed, .connectionReopened, .schemaChanged: [:]
    }
  }
}

extension StackEvent: CustomStringConvertible {
  /// The message and the metadata in one line.
  public var description: String {
    message + metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
  }
}

extension StoreError {
  /// Whether the disk or SQLite failed, rather than the caller or a rule of the schema.
  var isOfStore: Bool {
    [.notADatabase, .cannotOpen, .diskFull, .inputOutput, .outOfMemory, .sqlite].contains(code)
  }
}
