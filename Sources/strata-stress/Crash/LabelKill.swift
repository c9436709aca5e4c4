import Foundation
import Strata
import StrataSQLite

/// Kills a process after a migration that has caught an error, and after a few saves.
///
/// The migration's step fills a table again that does not fit in the page cache, fails at its last
/// row, and goes on. The part that it rolls back has then written pages to the log more than once,
/// which SQLite up to 3.50.1 does not survive without ``Connection/atomically(_:)``.
@MainActor
struct LabelKill {
  struct Label: Entity {
    var id = ""
    var number = 0

    static let schema = Schema<Label>("labels", key: \.id) { Attribute(\.number) }
  }

  private struct Refusal: Error {}

  private static let version = 2
  private static let saves = 5
  private let store: URL
  private let folder: URL
  private nonisolated static let count = 30_000
  private static let batch = 500

  /// Creates the store that each kill copies.
  ///
  /// The rows of each save have keys all over the index. So a copy of the table, in the order of
  /// the rows, writes the pages of its index again and again.
  init(in folder: URL) async throws {
    self.folder = folder
    store = folder.appendingPathComponent("labels.sqlite")
    let stack = try await Stack.open(Label.self, at: store)
    var random = SplitMix64(seed: 1)
    for first in stride(from: 0, to: Self.count, by: Self.batch) {
      let scratch = stack.makeScratch()
      for number in first..<first + Self.batch {
        let words = (0..<5).map { _ in String(random.next(), radix: 36) }
        scratch.insert(Label(id: "\(words.joined())-\(number)", number: number))
      }
      try await scratch.save()
    }
    await stack.close()
  }

  func run(_ report: inout Report) async throws {
    let copy = folder.appendingPathComponent("labelling.sqlite")
    StoreFiles.remove(copy)
    try FileManager.default.copyItem(at: store, to: copy)
    var child = CrashChild.Options()
    child.store = copy.path
    child.task = .savesLabels
    let process = try StartedProcess(["crash-child"] + child.arguments)
    var saved = 0
    while saved < Self.saves, let line = await process.output.next() {
      if line.hasPrefix("saved") { saved += 1 }
    }
    process.kill()
    while await process.output.next() != nil {}
    if saved < Self.saves { report.violations.append("a process did not save its labels") }
    do {
      let stack = try await Self.open(copy)
      if stack.migration.storedVersion != Self.version {
        report.violations.append("a migration that caught an error is gone again")
      }
      let labels = try await stack.count(Label.all)
      if labels < Self.count + saved {
        report.violations.append("\(Self.count + saved) labels were saved, \(labels) are there")
      }
      await stack.close()
      report.violations += try Connection(
        path: copy.path, access: .existing, busyTimeout: .seconds(5)
      ).damage()
    } catch {
      report.violations.append("the store of labels cannot be read: \(error)")
    }
    report.counts["caughtErrors", default: 0] += 1
  }

  /// The work of the process.
  static func run(at store: String) async throws {
    let stack = try await open(URL(fileURLWithPath: store))
    var number = count
    while true {
      let label = Label(id: "new \(number)", number: number)
      try await stack.withScratch { $0.insert(label) }
      CrashChild.say("saved \(number)")
      number += 1
    }
  }

  private static func open(_ store: URL) async throws -> Stack {
    var options = Stack.Options()
    options.schemaVersion = version
    options.migrations = [
      MigrationStep(to: version) { migration in
        do {
          try migration.convertColumn("number", of: "labels", to: .init("number", .integer)) {
            if $0 == .integer(Int64(count - 1)) { throw Refusal() }
            return $0
          }
        } catch StoreError.Code.migrationFailed {}
      }
    ]
    return try await Stack.open(Label.self, at: store, options: options)
  }
}
