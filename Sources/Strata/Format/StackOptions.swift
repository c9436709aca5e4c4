public import Foundation

/// The options with which a stack is opened; its short name is ``Stack/Options``.
public struct StackOptions: Sendable {
  /// When a commit reaches the disk.
  public enum Synchronous: Sendable {
    /// A commit survives a crash of the program. A power loss may undo the newest commits, but
    /// never a part of a commit.
    case normal
    /// A commit survives a power loss. Every commit waits for the disk.
    case full
  }

  /// The work that a stack may do with its store.
  public enum Access: Sendable {
    /// Reads and writes. Opening creates a missing store, and migrates a store of an earlier schema.
    case readWrite
    /// Reads only, for a widget, an extension or a tool beside the app that writes.
    ///
    /// The stack changes no byte of the store, takes no lock that a writer waits for, and creates and
    /// migrates no store. Its view context, live queries and streams follow the commits of other
    /// processes. A save, and every other call that writes, throws `readOnly`, and contexts keep their
    /// edits.
    ///
    /// The store may be of another version of the schema, as long as it has each table, attribute and
    /// search index of the entities as they are declared. Other tables and attributes do not matter.
    ///
    /// Beside a store that no other process has open, SQLite needs two files, `-wal` and `-shm`, and the
    /// stack hears of commits through `-notify`. Closing the stack removes them. A copy that
    /// ``Stack/copy(to:progress:)`` has made needs no log, so it can be read where no file can be made.
    /// While it is read, opening it for writing throws `busy`.
    case readOnly
  }

  /// The work that the stack may do with its store.
  public var access = Access.readWrite
  /// When a commit reaches the disk.
  public var synchronous = Synchronous.normal
  /// The longest wait for another process that has locked the store.
  public var busyTimeout = Duration.seconds(5)
  /// The version of the schema. Opening refuses a store with a newer version.
  public var schemaVersion = 1
  /// Custom steps to the versions up to ``schemaVersion``; see ``MigrationStep``.
  public var migrations: [MigrationStep] = []
  /// Tables of earlier versions to drop with their rows.
  public var removedTables: Set<String> = []
  /// Called with a migration's progress on the writer's executor, at most every 1,000 rows.
  public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
  /// The length that the write-ahead log should not exceed, in bytes.
  ///
  /// Past half of it, the log is written back into the file while the writer goes on. Past all of
  /// it, commits wait until the log is written back.
  public var logLimit = 16 * 1024 * 1024
  /// The amount of history that the store keeps of this stack's commits; nil for none.
  ///
  /// See ``Stack/history(since:)``. With a history, processes learn exactly which rows a foreign
  /// commit changed. Without a history, they read the tables again.
  public var history: HistoryOptions?
  /// The author of this stack's commits in the history, unless a context has its own author.
  public var author = ProcessInfo.processInfo.processName
  /// Whether the stack has a view context.
  ///
  /// A server or a tool without a main loop needs none. Without a view context, no call of the
  /// stack waits for the main actor, and ``Stack/viewContext`` must not be used.
  public var hasViewContext = true
  /// Whether the stack notices commits of other processes at once, and notifies them of its own.
  ///
  /// This takes a file `<store>-notify` and about 2 µs a commit. Without it, the stack notices
  /// foreign commits with its own next commit or pinned snapshot.
  public var watchesOtherProcesses = true
  /// The longest time that commits wait for the log to be started again.
  ///
  /// Tests share the main actor with other tests, so they set a time that never runs out.
  var logPatience = CheckpointRule.patience
  /// The limits of backlogs and pools; stress runs set small ones.
  package var bounds = StoreBounds()
  /// The handling of a store that cannot be read.
  public var ifUnreadable = UnreadableStore.fail
  /// Whether ``Stack/repeatedReads`` collects reads that are repeated with other values.
  ///
  /// It is on by default in debug builds only, because it costs a read up to a microsecond.
  public var recordsRepeatedReads = Self.isDebugging
  /// The longest pause between two reads of one loop; tests set one that is never exceeded.
  var repeatedReadPause = RepeatedReads.pause
  /// Called with every statement that ends, on the thread that ran it; nil, the default, costs
  /// nothing.
  ///
  /// The thread waits for the call: keep it short, and do not call the stack.
  public var trace: (@Sendable (TracedStatement) -> Void)?
  /// Whether statements are counted and timed, for ``Stack/diagnostics(statements:)``.
  ///
  /// When off, it costs nothing. When on, each statement also reads the clock twice, copies its
  /// text and takes a lock, and each row that it returns makes one call. At most 512 texts are
  /// kept.
  public var recordsStatements = false
  /// Called for events worth logging, synchronously where they occur; nil, the default, costs
  /// nothing.
  ///
  /// The thread of the event waits for the call: keep it short, and do not call the stack.
  public var log: (@Sendable (StackEvent) -> Void)?
  /// The duration past which a commit is logged as slow; a commit blocks all other writes
  /// meanwhile.
  public var slowCommit = Duration.milliseconds(250)
  /// The clock for freshness, eviction and history; tests set their own.
  public var now: @Sendable () -> Date = { Date() }

  /// Creates the default options.
  public init() {}

  private static var isDebugging: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }
}

extension StackOptions {
  /// Returns the custom steps that a store of version `stored` goes through, in order.
  func steps(after stored: Int) -> [MigrationStep] {
    migrations.filter { $0.version > stored }.enumerated()
      .sorted { ($0.element.version, $0.offset) < ($1.element.version, $1.offset) }.map(\.element)
  }

  /// Throws if a step leads past the program's version.
  func checkSteps() throws(StoreError) {
    if let step = migrations.first(where: { $0.version > schemaVersion }) {
      throw StoreError(
        .invalidSchema,
        "a migration step leads to version \(step.version), but the schema's version is "
          + "\(schemaVersion)",
        advice: "raise Stack.Options.schemaVersion")
    }
  }
}
