/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
  /// What a migration is busy with.
  public enum Phase: Sendable, Hashable {
    /// Runs a custom step.
    case step(to: Int)
    /// Copies a table's rows into its new shape.
    case copying
    /// Creates a table's indexes, or those that an import of a killed process still owed.
    case indexing
    /// Looks for required references to nothing.
    case checking
  }

  /// What the migration is busy with.
  public let phase: Phase
  /// The table that it works on; nil at the beginning of a custom step, and for indexes of several.
  public let table: String?
  /// The rows, or the indexes, that are done.
  public let done: Int
  /// How many there are in all.
  public let total: Int
}

/// Tells the app about a migration's progress, at most once for every 1,000 rows.
final class ProgressMeter {
  private static let interval = 1000

  private let report: (@Sendable (MigrationProgress) -> Void)?
  private var phase = MigrationProgress.Phase.copying
  private var table: String?
  private var done = 0
  private var total = 0

  init(_ report: (@Sendable (MigrationProgress) -> Void)?) { self.report = report }

  var isUsed: Bool { report != nil }

  func begin(_ phase: MigrationProgress.Phase, _ table: String? = nil, total: Int = 0) {
    self.phase = phase
    self.table = table
    self.total = total
    done = 0
    tell()
  }

  func advance() {
    done += 1
    if done % Self.interval == 0 { tell() }
  }

  /// Tells of each one, where there are few.
  func finishOne() {
    done += 1
    tell()
  }

  func end() { if done % Self.interval != 0 { tell() } }

  private func tell() {
    report?(MigrationProgress(phase: phase, table: table, done: done, total: total))
  }
}
