internal import Foundation

/// Something that happened to a stack and that who maintains an app wants to find in a log.
///
/// Told to ``Stack/Options/log``. Each event says what it is by its case, so nobody parses text; a
/// logger takes its ``level``, ``message`` and ``metadata``. There are no rows' contents in it, but
/// for the records that an import has refused. Cases may be added: let a `switch` have a `default`.
public enum StackEvent: Sendable {
  /// How much an event matters.
  public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// What happens in every run.
    case debug
    /// What happens now and then.
    case info
    /// What costs time or space: look at it if it happens often.
    case warning
    /// What somebody has to do something about.
    case error

    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  /// The stack is open: the store's newest commit, and how long it took, migration included.
  case opened(commit: Int64, duration: Duration)
  /// The store was brought to today's schema, and how long that took.
  case migrated(MigrationPlan, duration: Duration)
  /// Indexes were made that an import of a process that was killed still owed.
  case madeOwedIndexes(count: Int, duration: Duration)
  /// The store could not be read, and made room for a new one.
  case setAside(SetAsideStore)
  /// The stack let go of its file.
  case suspended
  /// The stack has its file again.
  case resumed
  /// The stack is closed.
  case closed
  /// A transaction kept others waiting for longer than ``Stack/Options/slowCommit``; the number of
  /// rows that it changed, as far as it was known by row.
  case slowCommit(commit: Int64, rows: Int, duration: Duration)
  /// The disk or SQLite failed a transaction, of which nothing is left.
  case commitFailed(StoreError)
  /// A failed transaction could not be rolled back, so the writer closed its connection, which
  /// does.
  case connectionClosed
  /// The writer has a new connection after ``connectionClosed``.
  case connectionReopened
  /// The write-ahead log is twice as long as it should be, or twice as long again: in bytes, and
  /// the states before the newest that keep it from being started again, with who holds them.
  case logKept(bytes: Int, snapshots: [StackDiagnostics.Snapshot])
  /// The log could not be written back into the file; everything is still in it.
  case checkpointFailed(StoreError)
  /// The disk or SQLite failed something that was being read.
  case readFailed(StoreError)
  /// Another program changed the tables: the view context shows nothing newer.
  case schemaChanged
  /// An import left out records; the first of them, as many as its options say.
  case importRefused(records: Int, first: [String])
}

extension StackEvent {
  /// How much the event matters.
  public var level: Level {
    switch self {
    case .opened, .suspended, .resumed, .closed: .debug
    case .migrated, .madeOwedIndexes, .connectionReopened: .info
    case .slowCommit, .connectionClosed, .logKept, .importRefused: .warning
    case .setAside, .commitFailed, .checkpointFailed, .readFailed, .schemaChanged: .error
    }
  }

  /// What happened, the same for every event of a case.
  public var message: String {
    switch self {
    case .opened: "opened the store"
    case .migrated: "migrated the store"
    case .madeOwedIndexes: "made indexes that an import had put off"
    case .setAside: "set aside a store that could not be read"
    case .suspended: "suspended"
    case .resumed: "resumed"
    case .closed: "closed the store"
    case .slowCommit: "a commit was slow"
    case .commitFailed: "a commit failed"
    case .connectionClosed: "closed the connection, as a rollback failed"
    case .connectionReopened: "opened the connection again"
    case .logKept: "the log grows, as old states are held"
    case .checkpointFailed: "the log could not be written back"
    case .readFailed: "a read failed"
    case .schemaChanged: "another program changed the tables"
    case .importRefused: "an import left out records"
    }
  }

  /// What is particular to this event, by name.
  public var metadata: [String: String] {
    switch self {
    case .opened(let commit, let duration): ["commit": "\(commit)", "duration": "\(duration)"]
    case .migrated(let plan, let duration):
      [
        "from": plan.storedVersion.map { "\($0)" } ?? "nothing", "to": "\(plan.version)",
        "duration": "\(duration)",
        "actions": plan.actions.map(\.description).joined(separator: "; "),
      ]
    case .madeOwedIndexes(let count, let duration):
      ["count": "\(count)", "duration": "\(duration)"]
    case .setAside(let store): ["url": store.url?.path ?? "", "error": "\(store.error)"]
    case .slowCommit(let commit, let rows, let duration):
      ["commit": "\(commit)", "rows": "\(rows)", "duration": "\(duration)"]
    case .logKept(let bytes, let snapshots):
      [
        "bytes": "\(bytes)",
        "holders": snapshots.flatMap(\.holders).map(\.description).joined(separator: ", "),
      ]
    case .commitFailed(let error), .checkpointFailed(let error), .readFailed(let error):
      ["error": "\(error)", "code": "\(error.code)"]
    case .importRefused(let records, let first):
      ["records": "\(records)", "first": first.joined(separator: "; ")]
    case .suspended, .resumed, .closed, .connectionClosed, .connectionReopened, .schemaChanged: [:]
    }
  }
}

extension StackEvent: CustomStringConvertible {
  /// The message and the metadata, in one line.
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
