/// The work of a stack while calls of the file system fail.
enum FaultScenario: String, CaseIterable {
  case create, open, migrate, save, share, `import`, checkpoint, suspend, close

  /// A step of a scenario.
  enum Action {
    case saveView
    case saveScratch
    case saveRemoval
    case saveRefused
    /// A save of another process.
    case saveElsewhere
    case fetch
    case load
    case importBatches(count: Int)
    case importAtOnce(count: Int)
    case suspend
    case close
  }

  /// Whether the store is opened while calls fail.
  var opensUnderFaults: Bool { [.create, .open, .migrate].contains(self) }

  var actions: [Action] {
    switch self {
    case .create, .open, .migrate: []
    case .save:
      [
        .saveView, .load, .saveScratch, .saveRefused, .fetch, .saveRemoval, .saveRefused,
        .saveScratch,
      ]
    case .share:
      [
        .saveView, .saveElsewhere, .saveRemoval, .saveElsewhere, .saveScratch, .saveElsewhere,
        .saveView, .saveRemoval,
      ]
    // The first import fills an empty table, so its indexes are made after the rows.
    case .import: [.importAtOnce(count: 300), .importBatches(count: 300), .importAtOnce(count: 50)]
    case .checkpoint: [.saveScratch, .saveScratch, .saveView, .saveScratch, .saveView, .fetch]
    case .suspend: [.saveScratch, .suspend, .saveView, .suspend]
    case .close: [.saveView, .saveScratch, .close]
    }
  }

  /// The length of the log in bytes past which a checkpoint writes it back.
  var logLimit: Int { self == .checkpoint ? 16 * 1024 : 16 * 1024 * 1024 }
}
