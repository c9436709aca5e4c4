/// The progress of a migration.
///
/// ```swift
/// options.migrationProgress = { progress in
///   print(progress.phase, progress.table ?? "", progress.done, "of", progress.total)
/// }
/// ```
public struct MigrationProgress: Sendable, Hashable {
  /// A kind of work in a migration.
  public enum Phase: Sendable, Hashable {
    /// Runs a custom step.
    case step(to: Int)
    /// Copies a table's rows into the new shape of the table.
    case copying
    /// Creates a table's indexes, or the indexes that an import deferred before its process was
    /// killed.
    case indexing
    /// Looks for required references to rows that do not exist.
    case checking
  }

  /// The kind of work that the migration does.
  public let phase: Phase
  /// The table that the migration works on; nil at the beginning of a custom step, and for the
  /// indexes of several tables.
  public let table: String?
  /// The number of finished rows or indexes.
  public let done: Int
  /// The number of all rows or indexes; 0 if they are not counted beforehand.
  public let total: Int
}

/// Reports a migration's progress to the app.
///
/// A report is made at the beginning and at the end of each piece of work, after every 1,000 rows,
/// and after each index.
final class ProgressMeter {
  private static let interval = 1000

  private let handler: (@Sendable (MigrationProgress) -> Void)?
  private var phase = MigrationProgress.Phase.copying
  private var table: String?
  private var done = 0
  private var total = 0

  init(_ handler: (@Sendable (MigrationProgress) -> Void)?) { self.handler = handler }

  var isUsed: Bool { handler != nil }

  func begin(_ phase: MigrationProgress.Phase, _ table: String? = nil, total: Int = 0) {
    self.phase = phase
    self.table = table
    self.total = total
    done = 0
    report()
  }

  func advance() {
    done += 1
    if done % Self.interval == 0 { report() }
  }

  /// Counts a finished index and reports it at once, because there are few indexes.
  func finishOne() {
    done += 1
    report()
  }

  func end() { if done % Self.interval != 0 { report() } }

  private func report() {
    handler?(MigrationProgress(phase: phase, table: table, done: done, total: total))
  }
}
