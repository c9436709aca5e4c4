import Strata

/// A consumer of a live query's updates, which keeps the list that they lead to.
@MainActor
final class RaceList<Element: Equatable & Sendable> {
  private var list: [Element]
  private let wanted: () -> [Element]
  private var task: Task<Void, any Error>?
  private var hasBegun = false
  private var hasEnded = false
  private var contradiction: (any Error)?

  /// - Parameters:
  ///   - updates: the updates, with the list that each has to lead to.
  ///   - wanted: returns the list that the live query shows.
  private init<Updates: AsyncSequence & Sendable>(
    _ updates: Updates, _ wanted: @escaping () -> [Element],
    apply:
      @escaping @MainActor (Updates.Element, inout [Element]) -> (list: [Element], isReset: Bool)
  ) where Updates.Element: Sendable, Updates.Failure == Never {
    self.wanted = wanted
    list = wanted()
    task = Task { [weak self] in
      for await update in updates { self?.take { apply(update, &$0) } }
      self?.hasEnded = true
    }
  }

  private func take(_ apply: (inout [Element]) -> (list: [Element], isReset: Bool)) {
    // The first result comes after an error, if the first load failed.
    let mayReset = !hasBegun || list.isEmpty
    hasBegun = true
    let (wanted, isReset) = apply(&list)
    if contradiction != nil { return }
    if list != wanted {
      contradiction = Contradiction(description: "an update leads to \(list), not \(wanted)")
    } else if isReset && !mayReset {
      contradiction = Contradiction(description: "an update of few elements is a reset")
    }
  }

  /// Waits until the list is the live query's.
  func rest() async throws {
    await Pause.until { list == wanted() }
    if let contradiction { throw contradiction }
    try Contradiction.unless(!hasEnded, "the updates end before the live query")
    try Contradiction.unless(list == wanted(), "the updates lead to \(list), not \(wanted())")
  }

  /// Waits for the end of the updates once their stack is closed.
  func end() async throws {
    try await task?.value
    if let contradiction { throw contradiction }
  }
}

extension RaceList where Element == Book {
  /// Follows the updates of a live query.
  convenience init(_ live: LiveQuery<Book>) {
    self.init(live.updates, { Array(live.elements) }) { update, list in
      update.apply(to: &list)
      return (Array(update.elements), update.isReset)
    }
  }
}

extension RaceList where Element == [Book] {
  /// Follows the updates of a live query with sections.
  convenience init(_ live: SectionedLiveQuery<Book, Int>) {
    self.init(live.updates, { live.sections.map { Array($0.elements) } }) {
      update, lists in
      update.apply(to: &lists)
      return (update.sections.map { Array($0.elements) }, update.isReset)
    }
  }
}
