import Foundation
import Strata
import StrataImport

/// The process that ``CrashStress`` kills.
///
/// It works forever. It prints every save and import before the work begins and after its
/// acknowledgement.
@MainActor
struct CrashChild {
  enum Task: UInt64 {
    case works
    /// To open the store with the next version's tables, and to do nothing else.
    case migrates
    /// To open a store of labels with a migration that catches an error, and to save labels.
    case savesLabels
  }

  struct Options {
    var store = ""
    var seed: UInt64 = 1
    /// The first number that no note has had.
    var firstNote = 1
    var task = Task.works
    /// The call that kills the process; nil for a kill from outside.
    var fatalCall: FatalCall?

    var arguments: [String] {
      [
        "\(seed)", "\(firstNote)", "\(task.rawValue)", "\(fatalCall?.kind.rawValue ?? 0)",
        "\(fatalCall?.number ?? 0)", store,
      ]
    }

    init() {}

    init?(_ arguments: some Collection<String>) {
      let arguments = Array(arguments)
      let numbers = arguments.prefix(5).compactMap { UInt64($0) }
      guard numbers.count == 5, arguments.count == 6, let task = Task(rawValue: numbers[2]) else {
        return nil
      }
      (seed, firstNote, self.task) = (numbers[0], Int(numbers[1]), task)
      fatalCall = FatalCall.Kind(rawValue: Int(numbers[3])).map {
        FatalCall(kind: $0, number: Int(numbers[4]))
      }
      store = arguments[5]
    }
  }

  private let options: Options
  private var random: SplitMix64
  private var nextNote: Int

  init(_ options: Options) {
    self.options = options
    random = SplitMix64(seed: options.seed)
    nextNote = options.firstNote
  }

  mutating func run() async throws {
    if options.task == .savesLabels { return try await LabelKill.run(at: options.store) }
    let migrates = options.task == .migrates
    var stackOptions = Stack.Options()
    stackOptions.history = .keep(for: .seconds(86_400))
    stackOptions.logLimit = 128 * 1024
    if migrates {
      stackOptions.schemaVersion = Next.version
      stackOptions.migrationProgress = { _ in Self.say("migrating") }
    }
    options.fatalCall?.arm(forStoreAt: options.store)
    say("opening")
    let stack = try await Stack.open(
      migrates ? Next.entities : ChildProcess.entities,
      at: URL(fileURLWithPath: options.store), options: stackOptions)
    say("ready")
    if migrates { return await stack.close() }
    let live = stack.viewContext.live(Note.sorted(by: \.text).limit(50))
    try await live.waitUntilLoaded()
    while true { try await act(stack) }
  }

  private mutating func act(_ stack: Stack) async throws {
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<5: try await transfer(stack)
    case 5..<9:
      let note = takeNotes(1)
      try await attempt(.step(.insert(note: note))) {
        stack.viewContext.insert(Note(id: note, text: "\(note)", deleter: 1))
        return try await stack.viewContext.save()
      }
    case 9..<11: try await importNotes(.batched, keeping: true, Int.random(in: 1...1500), stack)
    case 11..<13: try await importNotes(.atomic, keeping: true, Int.random(in: 1...1500), stack)
    // The first import deletes all notes, so that the second import finds an empty table.
    case 13:
      try await importNotes(.batched, keeping: false, 0, stack)
      try await importNotes(.atomic, keeping: true, 3000, stack)
    case 14:
      try await importNotes(
        Bool.random(using: &random) ? .atomic : .batched, keeping: false,
        Int.random(in: 1...500), stack)
    default:
      await stack.suspend()
      try await stack.resume()
    }
  }

  private mutating func transfer(_ stack: Stack) async throws {
    let scratch = stack.makeScratch()
    let from = Int.random(in: 0..<FaultTemplate.accounts, using: &random)
    let to = (from + 1) % FaultTemplate.accounts
    let stamp = random.next()
    let accounts = try await scratch.find(Account.self, [from, to])
    scratch.update(accounts[0]) { ($0.balance, $0.transfer) = ($0.balance - 5, stamp) }
    scratch.update(accounts[1]) { ($0.balance, $0.transfer) = ($0.balance + 5, stamp) }
    try await attempt(.step(.transfer(from: from, to: to, amount: 5))) { try await scratch.save() }
  }

  private mutating func importNotes(
    _ commits: ImportOptions.Commits, keeping keeps: Bool, _ count: Int, _ stack: Stack
  ) async throws {
    let first = takeNotes(count)
    let lines = (first..<(first + count)).map { #"{"id":\#($0),"text":"\#($0)","deleter":1}"# }
    let json = Data("[\(lines.joined(separator: ","))]".utf8)
    var importOptions = ImportOptions()
    importOptions.commits = commits
    importOptions.longestTransaction = .milliseconds(2)
    let work = CrashWork.imported(
      first: first, count: count, isAtomic: commits == .atomic, keeps: keeps)
    try await attempt(work) {
      try await stack.importJSON(
        Note.self, from: .data(json), absent: keeps ? .keep : .delete, options: importOptions
      ).commit
    }
  }

  private mutating func takeNotes(_ count: Int) -> Int {
    defer { nextNote += count }
    return nextNote
  }

  private func attempt(_ work: CrashWork, _ body: () async throws -> Int64) async throws {
    say("? \(work.line)")
    say("\(try await body()) \(work.line)")
  }

  private func say(_ line: String) { Self.say(line) }

  nonisolated static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// A piece of work of a process on its store, as the process prints it.
enum CrashWork: Equatable {
  case step(Step)
  /// An import of `count` notes. Unless it keeps all other notes, it deletes them.
  case imported(first: Int, count: Int, isAtomic: Bool, keeps: Bool)

  var line: String {
    switch self {
    case .step(let step): "step \(step.line)"
    case .imported(let first, let count, let isAtomic, let keeps):
      "import \(first) \(count) \(isAtomic ? 1 : 0) \(keeps ? 1 : 0)"
    }
  }

  init?(_ line: some StringProtocol) {
    let words = line.split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return nil }
    let numbers = words[1].split(separator: " ").compactMap { Int($0) }
    switch (words[0], numbers.count) {
    case ("step", _):
      guard let step = Step(words[1]) else { return nil }
      self = .step(step)
    case ("import", 4):
      self = .imported(
        first: numbers[0], count: numbers[1], isAtomic: numbers[2] == 1, keeps: numbers[3] == 1)
    default: return nil
    }
  }

  /// Returns the ledger after the whole work.
  func applied(to ledger: Ledger) -> Ledger {
    var ledger = ledger
    switch self {
    case .step(let step): _ = ledger.apply(step)
    case .imported(let first, let count, _, let keeps):
      if !keeps { ledger.notes = [] }
      ledger.notes.formUnion(first..<(first + count))
    }
    return ledger
  }

  /// Returns whether an interruption of the work may leave a ledger.
  func mayLeave(_ found: Ledger, from before: Ledger) -> Bool {
    let after = applied(to: before)
    if found == before || found == after { return true }
    guard case .imported(let first, let count, false, let keeps) = self else {
      // An atomic import deletes absent rows in its only transaction.
      return false
    }
    var others = found
    others.notes = before.notes
    let range = first..<(first + count)
    let added = found.notes.intersection(range)
    let kept = found.notes.subtracting(range)
    // Batches come in order, and no row is deleted before the last batch.
    let isPrefix = added.count == (added.max().map { $0 - first + 1 } ?? 0)
    let deletesLast = kept == before.notes || (!keeps && added.count == count)
    return others == before && isPrefix && deletesLast && kept.isSubset(of: before.notes)
  }
}
