import Strata

/// A shared number that every process reads and increments.
struct Counter: Entity, Equatable {
  var id = 0
  var value = 0
  /// A random mark of the last increment, because two increments to the same value must not agree.
  var stamp: UInt64 = 0

  static let schema = Schema<Counter>("counters", key: \.id) {
    Attribute(\.value)
    Attribute(\.stamp)
  }
}

/// A note that one process writes and another process deletes.
///
/// No other process deletes it, because two deletions would agree.
struct Note: Entity, Equatable {
  var id = 0
  var text = ""
  var deleter = 0

  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.text).indexed().fullText()
    Attribute(\.deleter)
  }
}

/// The work of one commit of a process, as a line that can be written down and replayed.
enum Step: Equatable {
  case transfer(from: Int, to: Int, amount: Int)
  case insert(note: Int)
  case delete(note: Int)
  /// Takes the next number of a counter. All processes share counter 0; every other counter belongs
  /// to one process.
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

/// The numbers that acknowledged steps lead to.
struct Ledger: Equatable {
  var balances: [Int: Int] = [:]
  var notes: Set<Int> = []
  var counters: [Int: Int] = [:]

  /// Applies a step.
  ///
  /// - Returns: false if the step is impossible in this state.
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
