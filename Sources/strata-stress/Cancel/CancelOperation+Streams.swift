import Strata

extension CancelOperation {
  static let streams: [CancelOperation] = [
    following("view.changes", 10) { @MainActor site in
      let changes = site.stack.viewContext.changes
      return { await hasNext(changes) }
    },
    following("view.changes of one", 11) { @MainActor site in
      let changes = site.stack.viewContext.changes(of: Note.self)
      return { await hasNext(changes) }
    },
    following("live.updates", 12) { @MainActor site in
      let live = site.stack.viewContext.live(Note.all)
      try await live.waitUntilLoaded()
      let updates = live.updates
      return { await hasNext(updates, of: live) }
    },
    following("updates of sections", 13) { @MainActor site in
      let live = site.stack.viewContext.live(Note.all, sectionedBy: \.text)
      try await live.waitUntilLoaded()
      let updates = live.updates
      return { await hasNext(updates, of: live) }
    },
    following("updates of a value", 14) { @MainActor site in
      let live = site.stack.viewContext.live(.sum(\.deleter), of: Note.all)
      let old = try await live.waitUntilLoaded()
      let updates = live.updates.filter { $0 != old }
      return { await hasNext(updates, of: live) }
    },
    CancelOperation("change of sections") { @MainActor site in
      let live = site.stack.viewContext.live(Account.all, sectionedBy: \.owner)
      try await live.waitUntilLoaded()
      try await live.change(to: Account.where { $0.id < 3 })
      try CancelSurprise.unless(live.sections.count == 3, "\(live.sections.count) sections")
    },
    CancelOperation("activity") { @MainActor site in
      for await _ in site.stack.activity.updates { break }
      try Task.checkCancellation()
    },
  ]

  /// Returns whether a stream has an element before its end.
  ///
  /// - Parameter owner: the object whose end would end the stream, kept alive meanwhile.
  @MainActor
  private static func hasNext(
    _ stream: some AsyncSequence<some Any, Never>, of owner: AnyObject? = nil
  ) async -> Bool {
    defer { withExtendedLifetime(owner) {} }
    for await _ in stream { return true }
    return false
  }

  /// Returns an operation that saves a note and waits until a stream reports it.
  ///
  /// - Parameter follow: subscribes to the stream. The closure that it returns waits for the
  ///   stream, and returns whether the stream had an element before its end.
  private static func following(
    _ name: String, _ id: Int,
    _ follow:
      @escaping @MainActor @Sendable (CancelSite) async throws -> @MainActor () async -> Bool
  ) -> CancelOperation {
    CancelOperation(name, effect: { $0.notes.insert(id) }) { @MainActor site in
      let wait = try await follow(site)
      let scratch = site.stack.makeScratch()
      // The second run writes another value, because an equal row is no change.
      let found = try await scratch.find(Note.self, id)
      scratch.upsert(Note(id: id, text: name, deleter: (found?.deleter ?? site.stamp) + 1))
      try await scratch.save()
      if await wait() { return }
      try Task.checkCancellation()
      throw CancelSurprise(found: "a stream that ends")
    }
  }
}
