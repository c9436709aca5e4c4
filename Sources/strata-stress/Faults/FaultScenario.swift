/// What is done while calls fail.
enum FaultScenario: String, CaseIterable {
  case create, open, migrate, save, `import`, checkpoint, suspend, close

  /// What the stack does, in order.
  enum Action {
    case saveView
    case saveScratch
    case saveRemoval
    case saveRefused
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
    // Into an empty table first: its indexes are made after the rows.
    case .import: [.importAtOnce(count: 300), .importBatches(count: 300), .importAtOnce(count: 50)]
    case .checkpoint: [.saveScratch, .saveScratch, .saveView, .saveScratch, .saveView, .fetch]
    case .suspend: [.saveScratch, .suspend, .saveView, .suspend]
    case .close: [.saveView, .saveScratch, .close]
    }
  }

  /// The length in bytes past which the log is written back.
  var logLimit: Int { self == .checkpoint ? 16 * 1024 : 16 * 1024 * 1024 }
}
