import Strata

/// Moves money between two accounts, save after save.
///
/// A save that conflicts writes nothing. The worker then begins again with the newest rows.
actor Worker {
  private let scratch: ScratchContext
  private var random: UInt64

  init(_ stack: Stack, seed: UInt64) {
    scratch = stack.makeScratch()
    random = seed
  }

  func move(until deadline: ContinuousClock.Instant) async throws -> Tally {
    var tally = Tally()
    while ContinuousClock.now < deadline {
      let all = try await scratch.fetch(Account.all)
      let (from, to) = (any(of: all), any(of: all))
      guard from.id != to.id else { continue }
      let amount = Int(next() % 50)
      scratch.update(from) { $0.add(-amount) }
      scratch.update(to) { $0.add(amount) }
      do {
        try await scratch.save()
        tally.moves += 1
      } catch StoreError.Code.conflict {
        scratch.rollback()
        await scratch.refresh()
        tally.conflicts += 1
      }
    }
    return tally
  }

  private func any(of accounts: [Account]) -> Account {
    accounts[Int(next() % UInt64(accounts.count))]
  }

  private func next() -> UInt64 {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return random >> 33
  }
}
