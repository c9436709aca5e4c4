import Foundation
import Strata
import StrataImport

/// A worker that edits and saves while others do the same.
actor RaceWorker {
  private let stack: Stack
  /// The number of the stack's process.
  private let process: Int
  private let name: String
  private let transcript: SharedTranscript
  private var random: SplitMix64
  private var scratch: ScratchContext
  private var layer = PlainLayer()
  /// The reads of the context's snapshot.
  private var reading: Transcript.ReadNote?
  /// The suspensions before the snapshot was taken.
  private var suspensions = 0

  /// The seed of the steps' random numbers.
  private let seed: UInt64
  /// Whether the running step may be cancelled.
  private var mayBeCancelled = false

  init(
    _ stack: Stack, _ process: Int, _ name: String, seed: UInt64, _ transcript: SharedTranscript
  ) {
    self.stack = stack
    self.process = process
    self.name = name
    self.seed = seed
    random = SplitMix64(seed: seed)
    self.transcript = transcript
    scratch = stack.makeScratch()
  }

  func run(steps: [Int]) async throws {
    for number in steps where !transcript.disk.isDead(process) {
      random = SplitMix64(seed: seed, part: UInt64(number))
      transcript.begin("step \(number)", of: name)
      do {
        if random.oneIn(8) { try await cancelledStep() } else { try await step() }
      } catch {
        try transcript.tolerate(error, in: process)
        endReading()
      }
    }
    transcript.begin(nil, of: name)
    endReading()
  }

  /// Makes a step in a task that is cancelled at one of its suspensions.
  private func cancelledStep() async throws {
    let pause = Pause(&random)
    mayBeCancelled = true
    defer { mayBeCancelled = false }
    try await transcript.cancel(Task { try await self.step() }, of: name, after: pause)
  }

  private func step() async throws {
    switch random.below(20) {
    case 0..<6: try await edit(Book.self)
    case 6: try await random.oneIn(2) ? edit(Book.self) : editInChild()
    case 7: try await edit(Shelf.self)
    case 8: try await edit(Page.self)
    case 9: try await random.oneIn(2) ? edit(Loan.self) : edit(Topic.self)
    case 10: link()
    case 11..<15: try await save()
    case 15:
      scratch.rollback()
      layer = PlainLayer()
    case 16:
      endReading()
      await scratch.refresh()
      // A child now reads newer rows than those that the edits start from.
      if !layer.isEmpty && random.oneIn(2) { try await editInChild() }
    case 17: try await importBooks()
    case 18:
      endReading()
      layer = PlainLayer()
      scratch = stack.makeScratch()
    case 19 where process == 1:
      // No other part uses the stack.
      let pause = Pause(&random)
      try await transcript.suspend(stack, process) { await pause.wait() }
    default: await Pause(&random).wait()
    }
  }

  // MARK: Reading

  private func endReading() {
    if let reading, !reading.rows.isEmpty { transcript { $0.reads.append(reading) } }
    reading = nil
  }

  /// Finds a row in the context or in its child.
  ///
  /// - Parameter layers: the edits of the context, and of its child.
  private func find<E: PlainEntity>(
    _: E.Type, _ key: Int, in context: ScratchContext, under layers: [PlainLayer]
  ) async throws -> E? {
    let earliest = transcript.reported(by: process)
    if reading == nil {
      reading = Transcript.ReadNote(reader: name, earliest: earliest)
      suspensions = transcript { $0.suspensions[process] }
    }
    var row: Transcript.ReadNote.Row?
    defer { note(row, since: earliest) }
    let found = try await context.find(E.self, key)
    let edits = layers.compactMap { $0.edits[E.table]?[key] }
    row = .init(table: E.table, key: key, found: found?.row, edits: edits)
    return found
  }

  /// Notes a read of the context.
  ///
  /// - Parameters:
  ///   - row: what the read found; nil if it failed.
  ///   - earliest: the newest commit that was reported before the read.
  private func note(_ row: Transcript.ReadNote.Row?, since earliest: Int64) {
    let newest = transcript { $0.suspensions[process] }
    if newest == suspensions {
      if let row { reading?.rows.append(row) }
    } else {
      // A suspension has taken the snapshot. The read may have taken another one, even if it
      // failed.
      endReading()
      reading = Transcript.ReadNote(reader: name, earliest: earliest)
      suspensions = newest
    }
  }

  // MARK: Editing

  private func edit<E: PlainEntity>(_: E.Type) async throws {
    layer = layer.joined(with: try await edits(of: E.self, in: scratch, [layer]))
  }

  /// Edits through a child of the context, which is saved or released.
  ///
  /// The context is not edited meanwhile, so the child's edits never conflict with it.
  private func editInChild() async throws {
    let child = scratch.makeScratch()
    var edits = PlainLayer()
    for _ in 0...random.below(2) {
      let more = try await self.edits(of: Book.self, in: child, [layer, edits])
      edits = edits.joined(with: more)
    }
    if random.oneIn(4) { return }
    transcript.step("\(name) takes the edits of a child")
    try await child.save()
    let parent = layer
    let (result, _) = parent.absorbing(edits, .error) {
      [PlainLevel(layer: parent)].shown($0, $1, over: $2)
    } linked: {
      parent.links[$0]
    }
    layer = result
  }

  /// Edits a random row in the context or in its child.
  ///
  /// - Parameter layers: the edits of the context, and of its child.
  /// - Returns: the edit.
  private func edits<E: PlainEntity>(
    of: E.Type, in context: ScratchContext, _ layers: [PlainLayer]
  ) async throws -> PlainLayer {
    var edits = PlainLayer()
    let key = random.key(of: E.table)
    let found = try await find(E.self, key, in: context, under: layers)
    let row = random.row(of: E.table)
    switch (found, random.below(6)) {
    case (nil, 0..<3):
      context.insert(E(key: key, row))
      edits.edit(E.table, key, from: nil, to: row)
    case (let found?, 0):
      context.delete(found)
      edits.edit(E.table, key, from: found.row, to: nil)
    case (let found?, 2...):
      let row = random.changed(found.row, of: E.table)
      context.update(found) { $0 = E(key: key, row) }
      edits.edit(E.table, key, from: found.row, to: row)
    default:
      context.upsert(E(key: key, row))
      edits.upsert(E.table, key, row)
    }
    let edit = edits.edits[E.table]?[key].map { "\($0)" } ?? "nothing"
    transcript.step("\(name) makes \(E.table) \(key) \(edit)")
    return edits
  }

  private func link() {
    let link = random.link()
    let isThere = random.oneIn(2)
    link.set(isThere, in: scratch, fromBook: random.oneIn(2))
    layer.links[link] = isThere
    transcript.step("\(name) links \(link): \(isThere)")
  }

  // MARK: Saving

  private func save() async throws {
    if layer.isEmpty { return }
    let policy = random.pick(PlainPolicy.allCases)
    transcript.step("\(name) saves: \(policy)")
    let saved = layer
    let end = try await transcript.noting(
      .save(saved, policy), by: name, process, mayBeCancelled: mayBeCancelled
    ) {
      try await scratch.save(policy.strata)
    }
    if case .commit = end {
      layer = PlainLayer()
      return endReading()
    }
    // A failed save may be a commit.
    if end != .failed, end == .refused(.cancelled) || random.oneIn(3) { return }
    scratch.rollback()
    layer = PlainLayer()
    endReading()
    await scratch.refresh()
  }

  private func importBooks() async throws {
    var values: [Int: Int] = [:]
    for _ in 0...random.below(3) { values[random.key(of: .books)] = random.below(3) }
    let records = values.sorted { $0.key < $1.key }.map { "{\"id\":\($0),\"first\":\($1)}" }
    let json = "[\(records.joined(separator: ","))]"
    transcript.step("\(name) imports \(json)")
    _ = try await transcript.noting(
      .importOfBooks(values), by: name, process, mayBeCancelled: mayBeCancelled
    ) {
      try await stack.importJSON(Book.self, from: .data(Data(json.utf8))).commit
    }
  }
}
