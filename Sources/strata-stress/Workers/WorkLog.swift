import Strata

/// The acknowledged saves of a run by commit number.
///
/// A replay in the order of the numbers must lead to the contents of the store. Then there is an
/// order of all saves in which each save saw the results of the saves before it.
final class WorkLog: Sendable {
  enum Effect: Sendable {
    case balance(of: Int, before: Int, after: Int)
    case insert(notes: Range<Int>)
    case delete(note: Int)
    /// Names a branch, whatever its name was before.
    case name(of: Branch.ID, String)
    /// Renames a branch, or deletes it if `to` is nil.
    case rename(of: Branch.ID, from: String, to: String?)
  }

  private let entries = Lock<[Int64: [Effect]]>([:])

  func add(_ commit: Int64, _ effects: [Effect]) {
    entries.withLock { $0[commit, default: []] += effects }
  }

  /// Replays the saves after `start`.
  ///
  /// - Returns: the ledger, the names of the branches, and the violations by impossible effects.
  func replay(
    from start: Ledger
  ) -> (ledger: Ledger, names: [Branch.ID: String], violations: [String]) {
    var ledger = start
    var names: [Branch.ID: String] = [:]
    var violations: [String] = []
    func follows(_ effect: Effect) -> Bool {
      // Two edits that agree never conflict.
      guard case .rename(let branch, let old, let new) = effect else { return true }
      return names[branch] == old || names[branch] == new
    }
    for (commit, effects) in entries.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      // A save whose edits the store has already returns the number of the newest commit. Its
      // effects may precede those of that commit here.
      for effect in effects.filter(follows) + effects.filter({ !follows($0) }) {
        let isPossible: Bool
        switch effect {
        case .name(let branch, let name):
          names[branch] = name
          isPossible = true
        case .rename(let branch, _, let new):
          isPossible = follows(effect)
          names[branch] = new
        default: isPossible = ledger.apply(effect)
        }
        if !isPossible { violations.append("commit \(commit): \(effect) cannot be") }
      }
    }
    return (ledger, names, violations)
  }
}

extension Ledger {
  /// Applies an effect.
  ///
  /// - Returns: false if the save cannot have seen the state that the effect begins with.
  fileprivate mutating func apply(_ effect: WorkLog.Effect) -> Bool {
    switch effect {
    case .balance(let account, let before, let after):
      defer { balances[account] = after }
      return balances[account] == before
    case .insert(let new):
      defer { notes.formUnion(new) }
      return notes.isDisjoint(with: new)
    case .delete(let note): return notes.remove(note) != nil
    case .name, .rename: return true
    }
  }

  /// Returns the names of the branches in the store.
  static func names(_ stack: Stack) async throws -> [Branch.ID: String] {
    let branches = try await stack.fetch(Branch.all)
    return Dictionary(uniqueKeysWithValues: branches.map { ($0.id, $0.name) })
  }
}
