import Foundation
import Strata
import StrataImport

/// Moves money, edits branches, and writes and imports notes at random, through scratch contexts of
/// its own.
actor Worker {
  private let stack: Stack
  private let log: WorkLog
  private let steps: StepLog
  private let name: String
  private let accounts: Int
  /// Whether calls are cancelled at random moments.
  private let cancels: Bool
  private var random: SplitMix64
  private var nextNote: Int
  private var notes: [Int] = []
  private(set) var counts: [String: Int] = [:]
  private(set) var violations: [String] = []

  /// - Parameter number: the worker's number, which keeps the keys of its notes apart from those of
  ///   other workers.
  init(
    _ stack: Stack, _ log: WorkLog, _ steps: StepLog, number: Int, _ options: WorkerStress.Options
  ) {
    self.stack = stack
    (self.log, self.steps, name) = (log, steps, "worker \(number)")
    accounts = options.mode.accounts
    cancels = options.mode == .cancellation
    random = SplitMix64(seed: options.seed &+ UInt64(number))
    nextNote = (number + 1) << 32
  }

  func run(until deadline: ContinuousClock.Instant) async {
    while ContinuousClock.now < deadline && violations.count < 10 {
      let work = Task { await act() }
      if cancels, Bool.random(using: &random) {
        let pause = Int.random(in: 0...2000, using: &random)
        if pause > 1000 { try? await Task.sleep(for: .microseconds(pause)) }
        for _ in 0..<pause % 8 { await Task.yield() }
        work.cancel()
      }
      await work.value
    }
    steps.begin(nil, of: name)
  }

  private func act() async {
    do {
      let kind = Int.random(in: 0..<16, using: &random)
      steps.begin("work of kind \(kind)", of: name)
      switch kind {
      case 0..<5: try await transfer()
      case 5..<7: try await transferNested()
      case 7: try await transferWithUndo()
      case 8..<10: try await editBranch()
      case 10: try await discard()
      case 11: try await write()
      case 12: try await erase()
      case 13: try await importNotes()
      case 14: try await checkSum()
      default: try await checkSnapshot()
      }
    } catch {
      // Other workers move the same money and take the same names. Cancelled calls throw, too.
      let code = (error as? StoreError)?.code ?? (error as? ImportError)?.storeError?.code
      if [.conflict, .uniquenessViolated].contains(code) {
        counts["conflicts", default: 0] += 1
      } else if cancels && (code == .cancelled || (error as? ImportError)?.code == .cancelled) {
        counts["cancelled", default: 0] += 1
      } else {
        violations.append("\(error)")
      }
    }
  }

  // MARK: - Money

  /// A transfer between two accounts, and its effects.
  private struct Transfer {
    let from: Account
    let to: Account
    let amount: Int
    let stamp: UInt64

    func edit(_ scratch: ScratchContext) {
      scratch.update(from) { ($0.balance, $0.transfer) = ($0.balance - amount, stamp) }
      scratch.update(to) { ($0.balance, $0.transfer) = ($0.balance + amount, stamp) }
    }

    var effects: [WorkLog.Effect] {
      [
        .balance(of: from.id, before: from.balance, after: from.balance - amount),
        .balance(of: to.id, before: to.balance, after: to.balance + amount),
      ]
    }
  }

  private struct MissingAccount: Error {
    let ids: [Int]
    let commit: Int64
  }

  private func makeTransfer(_ scratch: ScratchContext) async throws -> Transfer {
    let from = Int.random(in: 0..<accounts, using: &random)
    let to = (from + Int.random(in: 1..<accounts, using: &random)) % accounts
    let amount = Int.random(in: 1...50, using: &random)
    let stamp = random.next()
    let found = try await scratch.find(Account.self, [from, to])
    if found.count < 2 { throw MissingAccount(ids: [from, to], commit: stack.historyToken.commit) }
    return Transfer(from: found[0], to: found[1], amount: amount, stamp: stamp)
  }

  private func save(_ scratch: ScratchContext, _ effects: [WorkLog.Effect]) async throws {
    log.add(try await scratch.save(), effects)
    counts["saves", default: 0] += 1
  }

  /// Moves money with both sides in one commit.
  private func transfer() async throws {
    let scratch = stack.makeScratch()
    let transfer = try await makeTransfer(scratch)
    transfer.edit(scratch)
    try await save(scratch, transfer.effects)
  }

  /// Moves money through a child context, after another child context was rolled back.
  private func transferNested() async throws {
    let scratch = stack.makeScratch()
    let transfer = try await makeTransfer(scratch)
    let given = scratch.makeScratch()
    given.delete(transfer.from)
    given.update(transfer.to) { $0.balance = -1 }
    given.rollback()
    let child = scratch.makeScratch()
    transfer.edit(child)
    try await child.save()
    try await save(scratch, transfer.effects)
  }

  /// Checks that a save does not contain an undone edit.
  private func transferWithUndo() async throws {
    let scratch = stack.makeScratch()
    scratch.undoLimit = 10
    let transfer = try await makeTransfer(scratch)
    let other = Transfer(
      from: transfer.to, to: transfer.from, amount: transfer.amount * 3, stamp: random.next())
    scratch.undoGroup("kept") { transfer.edit(scratch) }
    scratch.undoGroup("undone") { other.edit(scratch) }
    scratch.undo()
    if Bool.random(using: &random) {
      scratch.redo()
      scratch.undo()
    }
    try await save(scratch, transfer.effects)
  }

  private func discard() async throws {
    let scratch = stack.makeScratch()
    for account in try await scratch.fetch(Account.all.limit(5)) { scratch.delete(account) }
    scratch.rollback()
    try await scratch.save()
  }

  /// Checks that a readable state always has the whole sum.
  private func checkSum() async throws {
    let sum = try await stack.fetch(Account.all).reduce(0) { $0 + $1.balance }
    if sum != accounts * 1000 { violations.append("a snapshot has \(sum) in all") }
  }

  /// Checks that a second read of a context finds the rows of the first read.
  private func checkSnapshot() async throws {
    let scratch = stack.makeScratch()
    let first = try await scratch.fetch(Account.all)
    for _ in 0..<20 { await Task.yield() }
    let second = try await scratch.fetch(Account.sorted(by: \.balance))
    let sum = second.reduce(0) { $0 + $1.balance }
    if sum != accounts * 1000 { violations.append("a snapshot has \(sum) in all") }
    if Set(first.map(\.transfer)) != Set(second.map(\.transfer)) {
      violations.append("a snapshot has changed")
    }
  }

  // MARK: - Branches and notes

  /// Deletes, inserts or renames a branch; accounts that refer to it follow the delete rule.
  private func editBranch() async throws {
    let scratch = stack.makeScratch()
    let id = Int.random(in: 0..<20, using: &random)
    var effects: [WorkLog.Effect] = []
    if let branch = try await scratch.find(Branch.self, id) {
      if Bool.random(using: &random) {
        scratch.delete(branch)
        effects = [.rename(of: id, from: branch.name, to: nil)]
      } else {
        let name = "Branch \(Int.random(in: 0..<40, using: &random))"
        scratch.update(branch) { $0.name = name }
        // A save without changes returns the number of the newest commit, whatever that commit did
        // to the branch.
        if name != branch.name { effects = [.rename(of: id, from: branch.name, to: name)] }
      }
    } else {
      scratch.upsert(Branch(id: id, name: "Branch \(id)"))
      effects = [.name(of: id, "Branch \(id)")]
      let account = Int.random(in: 0..<accounts, using: &random)
      if let account = try await scratch.find(Account.self, account) {
        scratch.update(account) { $0.branchID = id }
      }
    }
    try await save(scratch, effects)
  }

  private func write() async throws {
    let scratch = stack.makeScratch()
    let note = nextNote
    nextNote += 1
    scratch.upsert(Note(id: note, text: "\(random.next())"))
    try await save(scratch, [.insert(notes: note..<(note + 1))])
    notes.append(note)
  }

  private func erase() async throws {
    guard let note = notes.last else { return }
    let scratch = stack.makeScratch()
    guard let found = try await scratch.find(Note.self, note) else {
      violations.append("note \(note) is gone")
      return
    }
    scratch.delete(found)
    try await save(scratch, [.delete(note: note)])
    notes.removeAll { $0 == note }
  }

  private func importNotes() async throws {
    let count = Int.random(in: 1...100, using: &random)
    let first = nextNote
    nextNote += count
    let lines = (first..<(first + count)).map { #"{"id":\#($0),"text":"\#($0)","deleter":1}"# }
    let source = JSONSource.data(Data("[\(lines.joined(separator: ","))]".utf8))
    var options = ImportOptions()
    options.commits = Bool.random(using: &random) ? .atomic : .batched
    options.longestTransaction = .microseconds(500)
    let scratch = stack.makeScratch()
    do {
      let result = try await scratch.importJSON(Note.self, from: source, options: options)
      imported(first, count, result)
    } catch let error as ImportError {
      imported(first, error.result.inserted, error.result)
      throw error
    }
  }

  private func imported(_ first: Int, _ count: Int, _ result: ImportResult) {
    guard count > 0 else { return }
    log.add(result.commit, [.insert(notes: first..<(first + count))])
    notes.append(first)
    counts["imports", default: 0] += 1
  }
}
