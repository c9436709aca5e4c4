import Strata

/// A shared number that every process reads and increments.
struct Counter: Entity, Equatable {
  var id = 0
  var value = 0
  /// Who took the last number: two that take the same one must not agree.
  var stamp: UInt64 = 0

  static let schema = Schema<Counter>("counters", key: \.id) {
    Attribute(\.value)
    Attribute(\.stamp)
  }
}

/// Written by one process, deleted by another one: by one only, as two deletions agree.
struct Note: Entity, Equatable {
  var id = 0
  var text = ""
  var deleter = 0

  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.text).indexed()
    Attribute(\.deleter)
  }
}

/// What one commit of a process does, as it is written down and done again.
enum Step: Equatable {
  case transfer(from: Int, to: Int, amount: Int)
  case insert(note: Int)
  case delete(note: Int)
  /// Takes the next number of a counter: 0 is everybody's, the others a process's own.
  case take(counter: Int)

  var line: String {
    switch self {
    case .transfer(let from, let to, let amount): "transfer \(from) \(to) \(amount)"
    case .insert(let note): "insert \(note)"
    case .delete(let note): "delete \(note)"
    case .take(let counter): "take \(counter)"
    }
  }

  init?(_ line: some StringProtocol) {
    let words = line.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Int($0) }
    switch (words.first, numbers.count) {
    case ("transfer", 3): self = .transfer(from: numbers[0], to: numbers[1], amount: numbers[2])
    case ("insert", 1): self = .insert(note: numbers[0])
    case ("delete", 1): self = .delete(note: numbers[0])
    case ("take", 1): self = .take(counter: numbers[0])
    default: return nil
    }
  }
}

/// The numbers that steps change: what was acknowledged makes them.
struct Ledger: Equatable {
  var balances: [Int: Int] = [:]
  var notes: Set<Int> = []
  var counters: [Int: Int] = [:]

  /// Does a step; false if it could not have been done now.
  mutating func apply(_ step: Step) -> Bool {
    switch step {
    case .transfer(let from, let to, let amount):
      guard let giver = balances[from], let taker = balances[to] else { return false }
      balances[from] = giver - amount
      balances[to] = taker + amount
      return true
    case .insert(let note): return notes.insert(note).inserted
    case .delete(let note): return notes.remove(note) != nil
    case .take(let counter):
      guard let value = counters[counter] else { return false }
      counters[counter] = value + 1
      return true
    }
  }
}
