import Foundation
import Strata
import StrataImport
import StrataMap

/// Workers, an app's screens and consumers of changes over one store of constant size.
@MainActor
final class SoakLoad {
  let stack: Stack
  private let workers: [SoakWorker]
  private let list: LiveQuery<Account>
  private let notes: LiveQuery<Note>
  private var tasks: [Task<Void, Never>] = []
  private let isOver = Lock(false)
  private var problems: [String] = []
  /// The number of screens that were opened.
  private(set) var visits = 0

  nonisolated static let accounts = 500
  nonisolated static let notes = 5_000

  init(_ store: URL, workers: Int, seed: UInt64) async throws {
    var options = Stack.Options()
    options.history = .keep(for: .seconds(2))
    let stack = try await Stack.open(ChildProcess.entities, at: store, options: options)
    self.stack = stack
    try await stack.withScratch { scratch in
      for id in 0..<Self.accounts {
        scratch.insert(Account(id: id, owner: "Owner \(id % 17)", balance: 1000))
      }
      for id in 0..<Self.notes { scratch.insert(Note(id: id, text: "note \(id)")) }
    }
    list = stack.viewContext.live(Account.sorted(by: \.balance, order: .reverse).limit(50))
    notes = stack.viewContext.live(Note.sorted(by: \.text))
    try await list.waitUntilLoaded()
    try await notes.waitUntilLoaded()
    self.workers = (0..<workers).map { SoakWorker(stack, seed: seed &+ UInt64($0)) }
    for worker in self.workers {
      tasks.append(Task.detached { [isOver] in await worker.run { isOver.withLock { $0 } } })
    }
    tasks.append(Task { await visitScreens() })
    for pace in [Duration?.none, .milliseconds(50)] {
      tasks.append(
        Task.detached { [changes = stack.changes] in
          for await _ in changes { if let pace { try? await Task.sleep(for: pace) } }
        })
    }
  }

  var saves: Int {
    get async {
      var sum = 0
      for worker in workers { sum += await worker.saves }
      return sum
    }
  }

  /// Opens a screen, edits in it and leaves it, again and again.
  private func visitScreens() async {
    while !isOver.withLock({ $0 }) {
      visits += 1
      do {
        let rich = stack.viewContext.live(Account.where { $0.balance > 1000 }, sectionedBy: \.owner)
        try await rich.waitUntilLoaded()
        let map = QuietMap()
        let registry = AnnotationRegistry(list, mapping: RegistryStress.pins, on: map)
        if let account = list.elements.first {
          stack.viewContext.update(account) { $0.owner = "Owner \(visits % 17)" }
          try await stack.viewContext.save(.mergeMine)
        }
        // A suspension is rare, because it empties the log, whose length is measured in between.
        if visits % 1000 == 0 {
          await stack.suspend()
          try await stack.resume()
        }
        registry.detach()
      } catch {
        problems.append("a screen: \(error)")
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  func end() async {
    isOver.withLock { $0 = true }
    for task in tasks.dropLast(2) { await task.value }
    // The last two tasks consume changes. Without a cancellation they end only with the stack.
    for task in tasks.suffix(2) { task.cancel() }
  }

  /// Returns the violations after the last write.
  func violations() async throws -> [String] {
    for worker in workers { problems += await worker.problems }
    try await stack.viewContext.waitUntilMerged(stack.historyToken.commit)
    let sum = try await stack.fetch(Account.all).reduce(0) { $0 + $1.balance }
    if sum != Self.accounts * 1000 { problems.append("money was made or lost: \(sum)") }
    let fetched = try await stack.viewContext.fetch(Note.sorted(by: \.text))
    if Array(notes.elements) != fetched { problems.append("a live query differs from a fetch") }
    return problems
  }
}

/// Saves, imports and reads at random, without making the store larger.
actor SoakWorker {
  private let stack: Stack
  private var random: SplitMix64
  private(set) var saves = 0
  private(set) var problems: [String] = []

  init(_ stack: Stack, seed: UInt64) {
    self.stack = stack
    random = SplitMix64(seed: seed)
  }

  func run(until isOver: @Sendable () -> Bool) async {
    while !isOver() && problems.count < 10 {
      do {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try await transfer()
        case 4..<6: try await rewrite()
        case 6: try await importNotes()
        case 7: _ = try await stack.fetch(Note.where { $0.text.hasPrefix("note 1") }.limit(100))
        case 8: try await cancel()
        default: _ = try await stack.viewContext.fetch(Account.sorted(by: \.balance).limit(20))
        }
      } catch {
        let code = (error as? StoreError)?.code ?? (error as? ImportError)?.storeError?.code
        // Other workers move the same money, and a suspension releases snapshots.
        let isUsual = code == .conflict || code == .suspended
        if !isUsual { problems.append("\(error)") }
      }
      try? await Task.sleep(for: .milliseconds(Int.random(in: 0...4, using: &random)))
    }
  }

  private func transfer() async throws {
    let scratch = stack.makeScratch()
    let from = Int.random(in: 0..<SoakLoad.accounts, using: &random)
    let to = (from + 1) % SoakLoad.accounts
    let found = try await scratch.find(Account.self, [from, to])
    guard found.count == 2 else { return problems.append("account \(from) or \(to) is gone") }
    let stamp = random.next()
    scratch.update(found[0]) { ($0.balance, $0.transfer) = ($0.balance - 3, stamp) }
    scratch.update(found[1]) { ($0.balance, $0.transfer) = ($0.balance + 3, stamp) }
    try await scratch.save()
    saves += 1
  }

  /// Deletes ten notes and writes ten others.
  private func rewrite() async throws {
    let scratch = stack.makeScratch()
    let first = Int.random(in: 0..<SoakLoad.notes - 20, using: &random)
    for note in try await scratch.find(Note.self, Array(first..<first + 10)) {
      scratch.delete(note)
    }
    for id in first + 10..<first + 20 {
      scratch.upsert(Note(id: id, text: "note \(random.next() % 10_000)"))
    }
    try await scratch.save(.overwrite)
    saves += 1
  }

  private func importNotes() async throws {
    let first = Int.random(in: 0..<SoakLoad.notes - 200, using: &random)
    let lines = (first..<first + 200).map {
      #"{"id":\#($0),"text":"note \#(random.next() % 10_000)","deleter":1}"#
    }
    var options = ImportOptions()
    options.commits = Bool.random(using: &random) ? .atomic : .batched
    try await stack.importJSON(
      Note.self, from: .data(Data(lines.joined(separator: "\n").utf8)), as: .lines,
      options: options)
    saves += 1
  }

  /// Starts a fetch and cancels it in the middle.
  private func cancel() async throws {
    let work = Task { [stack] in try await stack.fetch(Note.sorted(by: \.text)) }
    for _ in 0..<Int.random(in: 0...5, using: &random) { await Task.yield() }
    work.cancel()
    _ = await work.result
  }
}

@MainActor
private final class QuietMap: AnnotationSurface {
  func apply(_ operation: AnnotationOperation) {}
}
