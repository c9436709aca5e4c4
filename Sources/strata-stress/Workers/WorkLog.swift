import Strata

/// Every acknowledged save of a run, by the number of its commit.
///
/// Done again in the order of the numbers, they must make the store: then there is an order of all
/// saves in which every one of them saw what the ones before had left.
final class WorkLog: Sendable {
  enum Effect: Sendable {
    case balance(of: Int, before: Int, after: Int)
    case insert(notes: Range<Int>)
    case delete(note: Int)
  }

  private let entries = Lock<[Int64: [Effect]]>([:])

  func add(_ commit: Int64, _ effects: [Effect]) {
    entries.withLock { $0[commit, default: []] += effects }
  }

  /// What the saves since `start` make, and what cannot be.
  func replay(from start: Ledger) -> (ledger: Ledger, violations: [String]) {
    var ledger = start
    var violations: [String] = []
    for (commit, effects) in entries.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      for effect in effects where !ledger.apply(effect) {
        violations.append("commit \(commit): \(effect) cannot be")
      }
    }
    return (ledger, violations)
  }
}

extension Ledger {
  /// False if the save cannot have seen what it says.
  fileprivate mutating func apply(_ effect: WorkLog.Effect) -> Bool {
    switch effect {
    case .balance(let account, let before, let after):
      defer { balances[account] = after }
      return balances[account] == before
    case .insert(let new):
      defer { notes.formUnion(new) }
      return notes.isDisjoint(with: new)
    case .delete(let note): return notes.remove(note) != nil
    }
  }
}
