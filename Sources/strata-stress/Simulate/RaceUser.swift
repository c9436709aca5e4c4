import Strata

/// The user of a view context, who edits and saves while workers do the same.
@MainActor
final class RaceUser {
  /// A save that is under way.
  private struct Saving {
    let number: Int
    let layer: PlainLayer
    let task: Task<Transcript.WriteNote.End, any Error>
  }

  private let stack: Stack
  private let view: ViewContext
  private let screen: RaceScreen
  private let map: RaceMap
  private let transcript: SharedTranscript
  private var random: SplitMix64
  /// The edits that are not part of a save under way.
  private var pending = PlainLayer()
  private var saving: Saving?
  private var saves = 0
  /// Whether the newest save failed, and no rollback followed.
  private var hasFailed = false
  /// Whether every second step suspends the stack: few suspensions interrupt a turn.
  private let suspendsOften: Bool

  /// The seed of the steps' random numbers.
  private let seed: UInt64

  init(_ stack: Stack, seed: UInt64, _ transcript: SharedTranscript) async throws {
    self.stack = stack
    self.seed = seed
    random = SplitMix64(seed: seed)
    self.transcript = transcript
    view = stack.viewContext
    suspendsOften = self.random.oneIn(6)
    screen = try await RaceScreen(view)
    map = RaceMap(screen.tables.books, &self.random)
  }

  /// Takes random steps, and notes what the screen shows after each.
  func run(steps: [Int]) async throws {
    for number in steps where !transcript.disk.isDead(0) {
      random = SplitMix64(seed: seed, part: UInt64(number))
      transcript.begin("step \(number)", of: "the user")
      do { try await step() } catch { try transcript.tolerate(error, in: 0) }
      note()
    }
    transcript.begin("the end of a save", of: "the user")
    try await finishSave()
    transcript.begin(nil, of: "the user")
  }

  /// Notes what the screen shows once it shows the newest commit.
  func rest(at newest: Int64) async throws {
    try await view.waitUntilMerged(newest)
    try await screen.waitUntilLoaded()
    try await screen.restOfLists()
    note(isAtRest: true)
    var random = SplitMix64(seed: seed)
    try await map.end(screen.tables.books.elements, &random)
  }

  func makeObserver() -> RaceObserver { RaceObserver(stack, screen.tables.books, transcript) }

  private func note(isAtRest: Bool = false) {
    var layers = [[pending]]
    if let saving {
      layers = [[saving.layer, pending]]
      if !view.isSaving { layers = [[pending], [saving.layer.joined(with: pending)]] }
    }
    let note = Transcript.ScreenNote(
      commit: view.commit, layers: layers, contents: screen.contents,
      conflicts: saving == nil ? view.conflicts.compactMap(\.plainName) : nil,
      knowsLater: hasFailed,
      saving: view.isSaving ? saving?.number : nil, isAtRest: isAtRest)
    transcript { $0.screens.append(note) }
    transcript.didReport(view.commit, by: 0)
  }

  private func step() async throws {
    if suspendsOften && random.oneIn(2) { return try await suspend() }
    switch random.below(20) {
    case 0..<6: try await edit()
    case 6: try await undoAtOnce()
    case 7, 8: try await save()
    case 9, 10: try await beginSave()
    case 11: try await finishSave()
    case 12:
      try await finishSave()
      if random.oneIn(2) && !view.conflicts.isEmpty { return try resolve() }
      rollback()
      transcript.step("the view rolls back")
    case 13: try await random.oneIn(4) ? cancelled { try await self.fetch() } : fetch()
    case 14: try await random.oneIn(4) ? cancelled { try await self.merge() } : merge()
    case 15: try await random.oneIn(3) ? showQuery() : screen.toggle(&random)
    case 16: try await toggleRepeatedly()
    case 17: try await random.oneIn(2) ? suspend() : map.step(&random)
    case 18: random.oneIn(3) ? transcript.disk.disarm() : transcript.disk.arm(&random)
    default: await Pause(&random).wait()
    }
  }

  private func showQuery() async throws {
    let query = random.oneIn(4) ? nil : random.query(isRelated: random.oneIn(2))
    transcript.step("the screen shows \(query.map { "\($0)" } ?? "no generated query")")
    try await screen.show(query)
  }

  // MARK: - Editing

  private func edit() async throws {
    // The outcome of a save has to be known before the next edit.
    if saving != nil && !view.isSaving { try await finishSave() }
    switch random.below(8) {
    case 0..<4: edit(screen.tables.books)
    case 4: edit(screen.tables.shelves)
    case 5: edit(screen.tables.pages)
    case 6: if random.oneIn(2) { edit(screen.tables.loans) } else { edit(screen.tables.topics) }
    default:
      let link = random.link()
      let isThere = random.oneIn(2)
      link.set(isThere, in: view, fromBook: random.oneIn(2))
      pending.links[link] = isThere
      transcript.step("the view links \(link): \(isThere)")
    }
  }

  private func edit<E: PlainEntity>(_ live: LiveQuery<E>) {
    edit(live, random.key(of: E.table))
  }

  private func edit<E: PlainEntity>(_ live: LiveQuery<E>, _ key: Int) {
    guard let entity = live[id: key] else {
      let row = random.row(of: E.table)
      view.insert(E(key: key, row))
      pending.edit(E.table, key, from: nil, to: row)
      return step(E.table, key)
    }
    if random.oneIn(5) {
      view.delete(entity)
      pending.edit(E.table, key, from: entity.row, to: nil)
    } else {
      let row = random.changed(entity.row, of: E.table)
      view.update(entity) { $0 = E(key: key, row) }
      if row != entity.row { pending.edit(E.table, key, from: entity.row, to: row) }
    }
    step(E.table, key)
  }

  private func step(_ table: PlainTable, _ key: Int) {
    let edit = pending.edits[table]?[key].map { "\($0)" } ?? "nothing"
    transcript.step("the view makes \(table) \(key) \(edit) at commit \(view.commit)")
  }

  /// Makes a group of edits, undoes it and perhaps redoes it, all in one turn.
  ///
  /// The edits are of rows without other edits. An edit of a row that another commit has changed
  /// since an older edit may not come back.
  private func undoAtOnce() async throws {
    try await finishSave()
    let before = pending
    let keys = (0..<5).filter { before.edits[.books]?[$0] == nil }
    if keys.isEmpty { return }
    let name = "group \(random.next())"
    view.beginUndoGroup(name)
    for _ in 0...random.below(2) { edit(screen.tables.books, random.pick(keys)) }
    view.endUndoGroup()
    // Edits that cancel each other out make no group.
    let isThere = view.undoName == name
    try Contradiction.unless(
      isThere || pending.hasSameEdits(as: before), "no group to undo of the last edits")
    if !isThere { return }
    let group = pending
    view.undo()
    pending = before
    transcript.step("the view undoes")
    if random.oneIn(2) { return }
    view.redo()
    pending = group
    transcript.step("the view redoes")
  }

  private func rollback() {
    view.rollback()
    pending = PlainLayer()
    hasFailed = false
  }

  /// Resolves a conflict of an edit, in the turn that lists it.
  private func resolve() throws {
    let (conflict, policy) = (random.pick(view.conflicts), random.pick(PlainPolicy.allCases))
    try pending.resolve(conflict, policy, in: view)
    transcript.step("the view resolves \(conflict): \(policy)")
  }

  // MARK: - Reading

  /// Makes a step in a task that is cancelled at one of its suspensions.
  private func cancelled(_ step: @escaping @MainActor () async throws -> Void) async throws {
    try await finishSave()
    let pause = Pause(&random)
    try await transcript.cancel(Task { try await step() }, of: "the user", after: pause)
  }

  private func merge() async throws {
    let newest = transcript.reported(by: 0)
    try await view.waitUntilMerged(newest)
    try Contradiction.unless(
      view.commit >= newest, "the view has merged \(newest) at \(view.commit)")
  }

  private func fetch() async throws {
    try await finishSave()
    let edits = pending.edits[.books] ?? [:]
    var note = Transcript.ReadNote(reader: "view.fetch", earliest: transcript.reported(by: 0))
    let found = Dictionary(
      uniqueKeysWithValues: try await view.fetch(Book.all).map { ($0.id, $0.row) })
    for key in 0..<5 {
      note.rows.append(
        .init(table: .books, key: key, found: found[key], edits: edits[key].map { [$0] } ?? []))
    }
    transcript { [note] in $0.reads.append(note) }
  }

  // MARK: - Saving

  private func save() async throws {
    try await beginSave()
    try await finishSave()
  }

  private func beginSave() async throws {
    if saving != nil || pending.isEmpty { return }
    let layer = pending
    let policy = random.pick(PlainPolicy.allCases)
    let isCancelled = random.oneIn(5)
    transcript.step("the view begins to save: \(policy)")
    var hasEnded = false
    saves += 1
    let task = Task { [view, transcript, saves] in
      defer { hasEnded = true }
      return try await transcript.noting(
        .save(layer, policy), by: "the view", 0, save: saves, mayBeCancelled: isCancelled
      ) {
        try await view.save(policy.strata)
      }
    }
    while !view.isSaving && !hasEnded { await Task.yield() }
    saving = Saving(number: saves, layer: layer, task: task)
    pending = PlainLayer()
    if random.oneIn(2) && view.isSaving { try await edit() }
    if isCancelled {
      await Pause(&random).wait()
      task.cancel()
    }
  }

  /// Waits for the save that is under way.
  private func finishSave() async throws {
    guard let saving else { return }
    let end = try await saving.task.value
    self.saving = nil
    // A cancelled save has not failed.
    hasFailed = if case .commit = end { false } else { end != .refused(.cancelled) }
    try Contradiction.unless(
      (view.saveError != nil) == hasFailed,
      "saveError: \(view.saveError.map { "\($0)" } ?? "none") after \(end)")
    // The edits of a failed save lie under the edits that were made meanwhile.
    if case .commit = end { return }
    pending = saving.layer.joined(with: pending)
    if end == .failed {
      // The save may be a commit.
      rollback()
    }
  }

  /// Closes and opens one live query a few times, while its loads are under way.
  private func toggleRepeatedly() async throws {
    let query = random.pick(RaceScreen.OptionalQuery.allCases)
    for _ in 0..<3 + random.below(2) {
      screen.toggle(query)
      if random.oneIn(2) {
        try await edit()
        try await save()
      }
      for _ in 0..<random.below(8) {
        await Task.yield()
        note()
      }
    }
  }

  // MARK: - Suspending

  /// Suspends the stack and resumes it. The suspension may interrupt a turn that loads live queries.
  private func suspend() async throws {
    for _ in 0..<random.below(4) { screen.toggle(&random) }
    if random.oneIn(2) {
      screen.readAtChanges()
      try await screen.waitUntilLoaded()
    }
    if random.oneIn(2) { await Pause(&random).wait() }
    if random.oneIn(2) {
      try await edit()
      try await beginSave()
    }
    let pause = Pause(&random)
    try await transcript.suspend(stack, 0) {
      await note(during: pause)
    }
  }

  private func note(during pause: Pause) async {
    note()
    await pause.wait()
    note()
  }
}
