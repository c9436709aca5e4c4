import Foundation
import Strata
import StrataImport
import StrataMap

/// The tour: each step changes the store, or reads it, and tells the result in words.
@MainActor final class Tour {
  enum Step: String, Codable, Sendable, CaseIterable {
    case again, gate, unsaved, conflict, undo, shuffle
  }

  /// The words of a step.
  struct Chapter: Encodable, Sendable {
    /// The decision that the user is asked for.
    enum Question: String, Encodable { case settle, resolve }

    let step: Step
    var isRunning = false
    let text: String
    /// The sighting that the map shows to the user.
    var place: Row?
    var question: Question?
  }

  private let world: World
  private let registry: AnnotationRegistry<Sighting>
  private let edits: PageEdits
  /// A second page, which edits the same quakes.
  private let other: PageEdits
  private let listUpdates: @MainActor () -> Int
  private let send: @Sendable (Event) -> Void

  /// - Parameter listUpdates: returns the number of updates of the page's list.
  init(
    _ world: World, _ registry: AnnotationRegistry<Sighting>, edits: PageEdits,
    listUpdates: @escaping @MainActor () -> Int, send: @escaping @Sendable (Event) -> Void
  ) {
    self.world = world
    self.registry = registry
    self.edits = edits
    other = PageEdits(world.stack, author: PageEdits.otherAuthor)
    self.listUpdates = listUpdates
    self.send = send
  }

  func run(_ step: Step) async throws {
    // A decision that the user has not made.
    if world.stack.viewContext.hasChanges { world.stack.viewContext.rollback() }
    switch step {
    case .again: try await importAgain()
    case .gate: try await holdGate()
    case .unsaved: try await editWithoutSaving()
    case .conflict: try await makeConflict()
    case .undo: try await undoOwnEdit()
    case .shuffle: try await shuffle()
    }
  }

  /// Ends the unsaved edit by the user's decision.
  func settle(isSaved: Bool) async throws {
    let view = world.stack.viewContext
    guard view.hasChanges else { return }
    if isSaved {
      let commit = try await view.save(.mergeMine)
      let stored = try await world.stack.makeScratch().find(Sighting.self, strongest().id)
      tell(
        .unsaved,
        "Saved as commit \(commit). Now the file has magnitude "
          + "\(stored?.magnitude.text ?? "nothing"), too.")
    } else {
      view.rollback()
      tell(.unsaved, "Taken back. List and map are as before, without a commit.")
    }
  }

  private func tell(
    _ step: Step, _ text: String, isRunning: Bool = false, at place: Sighting? = nil,
    asking question: Chapter.Question? = nil
  ) {
    send(
      .told(
        chapter: Chapter(
          step: step, isRunning: isRunning, text: text, place: place.map { Row($0) },
          question: question)))
  }

  // MARK: The steps

  private func importAgain() async throws {
    tell(.again, "The winds rest, and the same feed is imported again …", isRunning: true)
    await world.restWinds()
    await settle()
    let (commit, operations, updates) = (
      world.stack.viewContext.commit, registry.counters.applied, listUpdates()
    )
    do {
      let result = try await world.importAgain()
      await settle()
      let commits = world.stack.viewContext.commit - commit
      let applied = registry.counters.applied - operations
      tell(
        .again,
        "\(result.records.text) records read, \(result.unchanged.text) as before. The result: "
          + "\(counted(commits, "commit")), \(counted(listUpdates() - updates, "list update")), "
          + "\(counted(applied, "map operation")).")
      await world.resumeWinds()
    } catch {
      await world.resumeWinds()
      throw error
    }
  }

  /// Waits until list and map have every change so far: until a quarter of a second brings none.
  private func settle() async {
    var (operations, updates) = (-1, -1)
    while operations != registry.counters.applied || updates != listUpdates() {
      (operations, updates) = (registry.counters.applied, listUpdates())
      try? await Task.sleep(for: .milliseconds(250))
      await registry.drain()
      if Task.isCancelled { return }
    }
  }

  private func holdGate() async throws {
    await world.stirWinds()
    registry.close(.tour)
    defer { registry.open(.tour) }
    tell(.gate, "The map moves, so its gate is closed. Rows go on changing …", isRunning: true)
    let (rows, operations) = (world.tally.rowsChanged, registry.counters.applied)
    let end = ContinuousClock.now + .seconds(4)
    while world.tally.rowsChanged < rows + 3_000 && ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(50))
    }
    let changed = world.tally.rowsChanged - rows
    let between = registry.counters.applied - operations
    registry.open(.tour)
    await registry.drain()
    let after = registry.counters.applied - operations - between
    tell(
      .gate,
      "\(counted(changed, "row")) changed while the gate was closed, and the map got "
        + "\(counted(between, "operation")). After it opened, \(counted(after, "operation")) "
        + "brought the map up to date.")
  }

  private func editWithoutSaving() async throws {
    let view = world.stack.viewContext
    let quake = try await strongest()
    let shown = view.update(quake) {
      $0.note = "Not saved yet"
      $0.magnitude = quake.magnitude == 9.9 ? 9.8 : 9.9
    }
    let stored = try await world.stack.makeScratch().find(Sighting.self, quake.id)
    tell(
      .unsaved,
      "List, map and card show magnitude \(shown.magnitude.text) at once. The file still has "
        + "\(stored?.magnitude.text ?? "nothing"), because no commit has the edit.",
      at: shown, asking: .settle)
  }

  private func makeConflict() async throws {
    let quake = try await strongest()
    let edit = Edit.note(id: quake.id, was: quake.note, text: theirNote(for: quake))
    _ = try await other.perform(edit)
    let text = quake.note == "I felt it" ? "I felt it, too" : "I felt it"
    let mine = Edit.note(id: quake.id, was: quake.note, text: text)
    guard let conflict = try await edits.perform(mine) else {
      return tell(.conflict, "The note has this text already.", at: quake)
    }
    send(Event(conflict))
    tell(
      .conflict,
      "A second page saved another note first. The save of your note failed and lost nothing: the "
        + "error lists both notes.",
      at: quake, asking: .resolve)
  }

  private func undoOwnEdit() async throws {
    let quake = try await strongest()
    let note = Edit.note(id: quake.id, was: quake.note, text: "Your note, for a moment")
    try await edits.resolve(keepsMine: false)
    if try await edits.perform(note) != nil { try await edits.resolve(keepsMine: true) }
    let second = try await strongest(after: quake)
    let theirs = Edit.note(id: second.id, was: second.note, text: theirNote(for: second))
    _ = try await other.perform(theirs)
    _ = try await edits.perform(.undo)
    let view = world.stack.viewContext
    let mine = try await view.find(Sighting.self, quake.id)
    let other = try await view.find(Sighting.self, second.id)
    tell(
      .undo,
      "You noted one quake, then a second page noted another. Undo took back yours: "
        + "your quake has \(quoted(mine?.note)), the other has \(quoted(other?.note)).",
      at: other)
  }

  private func shuffle() async throws {
    tell(.shuffle, "Clusters are built twice, in the store's order and shuffled …", isRunning: true)
    let result = try await Shuffle.compare(world.stack)
    tell(.shuffle, result.text)
  }

  // MARK: Quakes

  private func strongest(after other: Sighting? = nil) async throws -> Sighting {
    let quakes = Sighting.quakes.where { $0.latitude != nil }.where { $0.id != other?.id ?? "" }
    let found = try await world.stack.viewContext.fetch(
      quakes.sorted(by: \.magnitude, order: .reverse).limit(1))
    guard let quake = found.first else { throw Nothing() }
    return quake
  }

  private func theirNote(for quake: Sighting) -> String {
    quake.note == "Checked" ? "Checked again" : "Checked"
  }

  struct Nothing: Error, CustomStringConvertible {
    var description: String { "There is no quake yet: import the feed first." }
  }
}

extension GateReason {
  fileprivate static let tour: GateReason = "tour"
}

extension Event {
  /// The event for a conflict of one sighting.
  init(_ conflict: Conflict) {
    let sides = conflict.sides(of: Sighting.self)
    self = .conflict(
      id: sides?.mine?.id ?? sides?.theirs?.id ?? "", attributes: conflict.attributes,
      mine: sides?.mine.map { Row($0) }, theirs: sides?.theirs.map { Row($0) })
  }
}
