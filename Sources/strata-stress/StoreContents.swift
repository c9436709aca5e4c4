import Strata

/// All entities of a store, from a stream, a history or a fetch.
struct StoreContents: Equatable {
  private(set) var accounts: [Int: Account] = [:]
  private(set) var branches: [Int: Branch] = [:]
  private(set) var notes: [Int: Note] = [:]
  private(set) var counters: [Int: Counter] = [:]

  /// The outcome of applying a change set.
  enum Outcome {
    case exact
    /// The change set does not list all changes, so the contents are unknown.
    case reset
    /// The change set does not begin with these contents.
    case wrong
  }

  /// Returns the contents of the store in one snapshot.
  static func stored(_ stack: Stack) async throws -> StoreContents {
    let scratch = stack.makeScratch()
    var contents = StoreContents()
    contents.accounts = keyed(try await scratch.fetch(Account.all))
    contents.branches = keyed(try await scratch.fetch(Branch.all))
    contents.notes = keyed(try await scratch.fetch(Note.all))
    contents.counters = keyed(try await scratch.fetch(Counter.all))
    return contents
  }

  /// Returns the contents of a store of the next version, as entities of the version before.
  static func migrated(_ stack: Stack) async throws -> StoreContents {
    let scratch = stack.makeScratch()
    var contents = StoreContents()
    let accounts = try await scratch.fetch(Next.Account.all)
    contents.accounts = keyed(accounts.map(\.before))
    let branches = try await scratch.fetch(Next.Branch.all)
    contents.branches = keyed(branches.map { Branch(id: $0.id, name: $0.name) })
    contents.notes = keyed(try await scratch.fetch(Note.all))
    contents.counters = keyed(try await scratch.fetch(Counter.all))
    return contents
  }

  /// The numbers that the steps of a run change.
  var ledger: Ledger {
    Ledger(
      balances: accounts.mapValues(\.balance), notes: Set(notes.keys),
      counters: counters.mapValues(\.value))
  }

  /// Applies the changes of one or more commits.
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
      // Composed commits may have inserted and deleted an entity that these contents never had.
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
  /// The account before the migration.
  fileprivate var before: Account {
    Account(
      id: id, owner: holder, balance: Int(balance), transfer: transfer, branchID: branchID)
  }
}
