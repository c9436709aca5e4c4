import Foundation
import Strata

/// A process of ``ProcessStress``.
///
/// The process commits random steps. It follows the commits of all processes through streams and
/// live queries alone.
///
/// The first line of its input starts the work. The line `more` asks for one more commit. A number
/// is the last commit of all processes. The line after the number closes the store.
@MainActor
struct ChildProcess {
  struct Options {
    var store = ""
    var number = 0
    var processes = 2
    var commits = 0
    var seed: UInt64 = 1
    var keepsHistory = true
    /// Whether the process only reads the store, and makes no commit.
    var isReader = false

    var arguments: [String] {
      let flags = [keepsHistory, isReader].map { $0 ? "1" : "0" }
      return ["\(number)", "\(processes)", "\(commits)", "\(seed)"] + flags + [store]
    }

    init() {}

    init?(_ arguments: some Collection<String>) {
      let arguments = Array(arguments)
      let numbers = arguments.prefix(6).compactMap { UInt64($0) }
      guard numbers.count == 6, arguments.count == 7 else { return nil }
      (number, processes, commits) = (Int(numbers[0]), Int(numbers[1]), Int(numbers[2]))
      (seed, keepsHistory, isReader) = (numbers[3], numbers[4] == 1, numbers[5] == 1)
      store = arguments[6]
    }
  }

  static let entities: [any Entity.Type] = [
    Account.self, Branch.self, Note.self, Counter.self,
  ]

  private let options: Options

  init(_ options: Options) { self.options = options }

  func run() async throws {
    // The input ends when the parent process ends. No process waits for this one then.
    let input = LineReader(.standardInput) { exit(3) }
    let watchdog = Watchdog(mode: "child", work: ProcessStress.work(options.commits))
    watchdog.begin("opening")
    var stackOptions = Stack.Options()
    stackOptions.history = options.keepsHistory ? .keep(for: .seconds(86_400)) : nil
    stackOptions.author = "process \(options.number)"
    stackOptions.access = options.isReader ? .readOnly : .readWrite
    let stack = try await Stack.open(
      Self.entities, at: URL(fileURLWithPath: options.store), options: stackOptions)
    let rich = Account.sorted(by: \.balance, order: .reverse).limit(10)
    let live = stack.viewContext.live(rich)
    let notes = stack.viewContext.live(Note.sorted(by: \.text))
    try await live.waitUntilLoaded()
    try await notes.waitUntilLoaded()
    let start = try await StoreContents.stored(stack)
    let first = stack.historyToken.commit
    let followers = [
      ContentsFollower(start, at: first, stack.changes, "stack"),
      ContentsFollower(start, at: first, stack.viewContext.changes, "view"),
    ]
    say("ready")
    _ = await input.next()

    watchdog.begin("committing")
    let worker = ChildWorker(stack, options)
    try await worker.run(upTo: options.commits)
    say("done \(stack.historyToken.commit)")
    watchdog.begin("waiting for the last commit of all")
    var line = await input.next()
    if line == "more" {
      try await worker.run(upTo: options.commits + 1)
      say("done \(stack.historyToken.commit)")
      line = await input.next()
    }
    guard let last = line.flatMap({ Int64($0) }) else { exit(3) }

    // No process commits or closes a store from here on. Only the signals of foreign commits can
    // bring the view to `last`.
    watchdog.begin("seeing commit \(last) in process \(options.number)")
    try await stack.viewContext.waitUntilMerged(last)
    var violations: [String] = []
    if !(Array(live.elements) == (try await stack.viewContext.fetch(rich))) {
      violations.append("the live query of accounts differs from a fetch")
    }
    if !(Array(notes.elements) == (try await stack.viewContext.fetch(Note.sorted(by: \.text)))) {
      violations.append("the live query of notes differs from a fetch")
    }
    let stored = try await StoreContents.stored(stack)
    var resets = 0
    for follower in followers {
      await follower.reach(last)
      violations += await follower.violations(stored, isExact: options.keepsHistory)
      resets += await follower.resets
    }
    say("there")
    _ = await input.next()
    await stack.close()
    let counts = await worker.counts
    say("report \(counts.conflicts) \(counts.busy) \(resets)")
    for violation in violations { say("violation process \(options.number): \(violation)") }
    say("end")
  }

  private func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// Commits random steps and writes each step to a file twice: before its save, and after the save
/// with the number of the commit.
private actor ChildWorker {
  private let stack: Stack
  private let options: ChildProcess.Options
  private let log: FileHandle
  private var random: SplitMix64
  private var done = 0
  private(set) var counts = (conflicts: 0, busy: 0)

  init(_ stack: Stack, _ options: ChildProcess.Options) {
    self.stack = stack
    self.options = options
    let path = options.store + ".steps\(options.number)"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    log = FileHandle(forWritingAtPath: path) ?? .nullDevice
    random = SplitMix64(seed: options.seed &+ UInt64(options.number))
  }

  func run(upTo count: Int) async throws {
    while done < count {
      let scratch = stack.makeScratch()
      let step = try await prepare(scratch, number: done)
      log.write(Data("? \(step.line)\n".utf8))
      do {
        let commit = try await scratch.save()
        log.write(Data("\(commit) \(step.line)\n".utf8))
        done += 1
      } catch {
        log.write(Data("-\n".utf8))
        // Other processes move the same money. A busy machine may keep the store locked for long.
        switch error {
        case StoreError.Code.conflict: counts.conflicts += 1
        case StoreError.Code.busy: counts.busy += 1
        default: throw error
        }
      }
    }
  }

  private func prepare(_ scratch: ScratchContext, number: Int) async throws -> Step {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<4:
      let from = Int.random(in: 0..<Bank.accounts, using: &random)
      let to = (from + Int.random(in: 1..<Bank.accounts, using: &random)) % Bank.accounts
      let amount = Int.random(in: 1...50, using: &random)
      let transfer = random.next()
      let accounts = try await scratch.find(Account.self, [from, to])
      scratch.update(accounts[0]) { ($0.balance, $0.transfer) = ($0.balance - amount, transfer) }
      scratch.update(accounts[1]) { ($0.balance, $0.transfer) = ($0.balance + amount, transfer) }
      return .transfer(from: from, to: to, amount: amount)
    case 4..<6:
      let offset = Int.random(in: 0..<50, using: &random)
      let mine = Note.where { [number = options.number] in $0.deleter == number }
      let found = try await scratch.fetch(mine.sorted(by: \.text).offset(offset).limit(1))
      if let note = found.first {
        scratch.delete(note)
        return .delete(note: note.id)
      }
      return try await prepare(scratch, number: number)
    case 6..<8:
      let note = number * options.processes + options.number
      let deleter = (options.number + 1) % options.processes
      scratch.insert(Note(id: note, text: "\(random.next())", deleter: deleter))
      return .insert(note: note)
    case let choice:
      let id = choice == 8 ? 0 : options.number + 1
      let counter = try await scratch.find(Counter.self, [id])
      let stamp = random.next()
      scratch.update(counter[0]) { ($0.value, $0.stamp) = ($0.value + 1, stamp) }
      return .take(counter: id)
    }
  }
}
