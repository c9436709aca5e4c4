import StrataTesting

@testable import Strata

/// A crate that the outbox tests push.
struct Crate: Entity, Equatable {
  var id = 0
  var code = ""

  static let schema = Schema<Crate>("crates", key: \.id) { Attribute(\.code).unique() }
}

struct Parcel: Entity, Equatable {
  var id = 0
  var name = ""
  var weight = 0
  var crateID: Int?

  static let crate = toOne(\.crateID, Crate.self, onDelete: .nullify)
  static let labels = manyToMany(Crate.self, "labels")
  static let schema = Schema<Parcel>("parcels", key: \.id) {
    Attribute(\.name)
    Attribute(\.weight)
    crate
    labels
  }
}

struct Unreachable: Error {}

extension Stack {
  nonisolated(nonsending) func update(
    _ id: Int, _ change: (inout Parcel) -> Void
  ) async throws {
    try await withScratch { scratch in
      guard let parcel = try await scratch.find(Parcel.self, id) else { throw Unreachable() }
      scratch.update(parcel, change)
    }
  }

  nonisolated(nonsending) func delete<E: Entity>(_: E.Type, _ id: E.ID) async throws {
    try await withScratch { scratch in
      guard let entity = try await scratch.find(E.self, id) else { throw Unreachable() }
      scratch.delete(entity)
    }
  }

  nonisolated(nonsending) func insert<each E: Entity>(_ entities: repeat each E) async throws {
    let scratch = makeScratch()
    for entity in repeat each entities { scratch.insert(entity) }
    try await scratch.save()
  }
}

extension Outbox {
  /// Returns the waiting requests as text.
  nonisolated(nonsending) func described() async throws -> [String] {
    try await requests().map(\.text)
  }

  /// Returns whether nothing waits and nothing was refused.
  nonisolated(nonsending) func isEmpty() async throws -> Bool {
    let (waiting, refused) = (try await requests(), try await refusals())
    return waiting.isEmpty && refused.isEmpty
  }

  /// Pushes to a server that accepts every request, and returns the requests as text.
  @discardableResult
  nonisolated(nonsending) func pushed() async throws -> [String] {
    let sent = Lock<[String]>([])
    try await push { request in
      sent.withLock { $0.append(request.text) }
      return .done
    }
    return sent.withLock { $0 }
  }
}

extension PushRequest {
  var text: String {
    "\(kind) \(entity) \(key)"
      + (kind == .update ? " " + attributes.sorted().joined(separator: ",") : "")
  }
}
