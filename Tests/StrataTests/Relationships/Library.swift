import Foundation
import StrataSQLite

@testable import Strata

/// A note with unordered tags, with ordered readers, and with the notes that it mentions.
struct Note: Entity, Equatable {
  var id = 0
  var text = ""
  var folderID: Folder.ID?
  var place = 0.0

  static let folder = toOne(\.folderID, Folder.self)
  static let tags = manyToMany(Tag.self)
  static let mentions = manyToMany(Note.self, "mentions")
  static let mentionedBy = manyToMany(inverseOf: \Note.Type.mentions)
  static let readers = manyToMany(Colleague.self, ordered: true)
  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.text)
    folder
    Attribute(\.place)
    tags
    mentions
    readers
  }
}

/// A tag, whose key is a text.
struct Tag: Entity, Equatable {
  var id = ""
  var isLoud = false

  static let notes = manyToMany(inverseOf: \Note.Type.tags)
  static let schema = Schema<Tag>("tags", key: \.id) {
    Attribute(\.isLoud)
    notes
  }
}

/// A colleague, whose key is a UUID.
struct Colleague: Entity, Equatable {
  var id = UUID.timeOrdered()
  var name = ""

  static let notes = manyToMany(inverseOf: \Note.Type.readers)
  static let schema = Schema<Colleague>("readers", key: \.id) { Attribute(\.name) }
}

/// A folder, which keeps its notes in an order.
struct Folder: Entity, Equatable {
  var id = 0
  var name = ""

  static let notes = toMany(\Note.folderID, orderedBy: \Note.place)
  static let schema = Schema<Folder>("folders", key: \.id) {
    Attribute(\.name)
    notes
  }
}

/// The operations that a test can use on the view context and on a scratch context alike.
@MainActor
protocol EditingContext {
  func insert<E: Entity>(_ entity: E)
  func delete<E: Entity>(_ entity: E)
  func edit<E: Entity>(_ entity: E, _ change: (inout E) -> Void)
  func link<R: Entity, T: Entity>(_ root: R, to target: T, in relationship: ManyToMany<R, T>)
  func unlink<R: Entity, T: Entity>(_ root: R, from target: T, in relationship: ManyToMany<R, T>)
  func fetched<E: Entity>(_ query: Query<E>) async throws -> [E]
  func counted<E: Entity>(_ query: Query<E>) async throws -> Int
  func fetched<E: Entity, R: Relationship<E>>(
    _ query: Query<E>, with relationship: R
  ) async throws -> [(E, R.Related)]
  func target<R: Entity, T: Entity>(_ relationship: ToOne<R, T>, of root: R) async throws -> T?
  func saved() async throws
}

extension ViewContext: EditingContext {
  func edit<E: Entity>(_ entity: E, _ change: (inout E) -> Void) { update(entity, change) }
  func fetched<E: Entity>(_ query: Query<E>) async throws -> [E] { try await fetch(query) }
  func counted<E: Entity>(_ query: Query<E>) async throws -> Int { try await count(query) }
  func fetched<E: Entity, R: Relationship<E>>(
    _ query: Query<E>, with relationship: R
  ) async throws -> [(E, R.Related)] { try await fetch(query, with: relationship) }
  func target<R: Entity, T: Entity>(_ relationship: ToOne<R, T>, of root: R) async throws -> T? {
    try await fetch(relationship, of: root)
  }
  func saved() async throws { try await save() }
}

/// A scratch context that stays on the main actor.
@MainActor
struct MainScratch: EditingContext {
  let scratch: ScratchContext

  func insert<E: Entity>(_ entity: E) { scratch.insert(entity) }
  func delete<E: Entity>(_ entity: E) { scratch.delete(entity) }
  func edit<E: Entity>(_ entity: E, _ change: (inout E) -> Void) {
    scratch.update(entity, change)
  }
  func link<R: Entity, T: Entity>(_ root: R, to target: T, in relationship: ManyToMany<R, T>) {
    scratch.link(root, to: target, in: relationship)
  }
  func unlink<R: Entity, T: Entity>(_ root: R, from target: T, in relationship: ManyToMany<R, T>) {
    scratch.unlink(root, from: target, in: relationship)
  }
  func fetched<E: Entity>(_ query: Query<E>) async throws -> [E] { try await scratch.fetch(query) }
  func counted<E: Entity>(_ query: Query<E>) async throws -> Int { try await scratch.count(query) }
  func fetched<E: Entity, R: Relationship<E>>(
    _ query: Query<E>, with relationship: R
  ) async throws -> [(E, R.Related)] { try await scratch.fetch(query, with: relationship) }
  func target<R: Entity, T: Entity>(_ relationship: ToOne<R, T>, of root: R) async throws -> T? {
    try await scratch.fetch(relationship, of: root)
  }
  func saved() async throws { try await scratch.save() }
}

/// The contexts of a stack in which unsaved edits can be read.
enum ContextKind: CaseIterable, Sendable {
  case view, scratch, scratchOfView

  @MainActor
  func make(_ stack: Stack) -> any EditingContext {
    switch self {
    case .view: stack.viewContext
    case .scratch: MainScratch(scratch: stack.makeScratch())
    case .scratchOfView: MainScratch(scratch: stack.viewContext.makeScratch())
    }
  }
}

extension Stack {
  /// Returns the rows of the join table of notes and tags, read through a second connection.
  nonisolated(nonsending) func tagLinks() async throws -> [String] {
    try await rows("SELECT owner, target FROM \"strata_join_notes.tags\" ORDER BY 1, 2")
  }
}

extension Snapshot {
  /// Returns the number of statements that `body` runs on this snapshot's reader.
  nonisolated(nonsending) func statements(
    in body: nonisolated(nonsending) () async throws -> Void
  ) async throws -> Int {
    let ended = Lock(0)
    try await read { _, connection in
      connection.trace(countsRows: false) { _ in ended.withLock { $0 += 1 } }
    }
    do { try await body() } catch {
      try await read { _, connection in connection.endTrace() }
      throw error
    }
    try await read { _, connection in connection.endTrace() }
    return ended.withLock(\.self)
  }
}
