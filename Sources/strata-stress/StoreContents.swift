import Strata

/// Every entity that is in a store, as a stream, a history or a fetch says it.
struct StoreContents: Equatable {
  private(set) var accounts: [Int: Account] = [:]
  private(set) var branches: [Int: Branch] = [:]
  private(set) var notes: [Int: Note] = [:]
  private(set) var counters: [Int: Counter] = [:]

  /// What became of a change set.
  enum Outcome {
    case exact
    /// Something is not listed: what is there now is not known.
    case reset
    /// It does not begin with what there was.
    case wrong
  }

  /// What is in the store now, in one state.
  static func stored(_ stack: Stack) async throws -> StoreContents {
    let scratch = stack.scratch()
    var contents = StoreContents()
    contents.accounts = keyed(try await scratch.fetch(Account.all))
    contents.branches = keyed(try await scratch.fetch(Branch.all))
    contents.notes = keyed(try await scratch.fetch(Note.all))
    contents.counters = keyed(try await scratch.fetch(Counter.all))
    return contents
  }

  /// What is in a store of the next version, as the version before has it.
  static func migrated(_ stack: Stack) async throws -> StoreContents {
    let scratch = stack.scratch()
    var contents = StoreContents()
    let accounts = try await scratch.fetch(Next.Account.all)
    contents.accounts = keyed(accounts.map(\.before))
    let branches = try await scratch.fetch(Next.Branch.all)
    contents.branches = keyed(branches.map { Branch(id: $0.id, name: $0.name) })
    contents.notes = keyed(try await scratch.fetch(Note.all))
    contents.counters = keyed(try await scratch.fetch(Counter.all))
    return contents
  }

  /// What the steps of a run are about.
  var ledger: Ledger {
    Ledger(
      balances: accounts.mapValues(\.balance), notes: Set(notes.keys),
      counters: counters.mapValues(\.value))
  }

  /// Follows one or more commits.
  mutating func apply(_ changes: ChangeSet) -> Outcome {
    let outcomes = [
      Self.apply(changes.changes(of: Account.self), to: &accounts),
      Self.apply(changes.changes(of: Branch.self), to: &branches),
      Self.apply(changes.changes(of: Note.self), to: &notes),
      Self.apply(changes.changes(of: Counter.self), to: &counters),
    ]
    return outcomes.contains(.reset) ? .reset : outcomes.contains(.wrong) ? .wrong : .exact
  }

  private static func keyed<E: Entity>(_ entities: [E]) -> [E.ID: E] {
    Dictionary(uniqueKeysWithValues: entities.map { ($0.id, $0) })
  }

  private static func apply<E: Entity & Equatable>(
    _ changes: Changes<E>, to entities: inout [E.ID: E]
  ) -> Outcome {
    if changes.isReset { return .reset }
    var isExact = true
    for entity in changes.deleted {
      // Several commits may have inserted and deleted what this has never had.
      if let old = entities.removeValue(forKey: entity.id), old != entity { isExact = false }
    }
    for update in changes.updated {
      if entities.updateValue(update.after, forKey: update.after.id) != update.before {
        isExact = false
      }
    }
    for entity in changes.inserted {
      if entities.updateValue(entity, forKey: entity.id) != nil { isExact = false }
    }
    return isExact ? .exact : .wrong
  }
}

extension Next.Account {
  /// The account that it was made of.
  fileprivate var before: Account {
    Account(
      id: id, owner: holder, balance: Int(balance), transfer: transfer, branchID: branchID)
  }
}
