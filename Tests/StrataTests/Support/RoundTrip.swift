import Testing

@testable import Strata

/// Saves entities in a temporary store and expects exactly the same entities back.
///
/// Every way of reading is tried: decoding from rows, looking up by key, and decoding from records
/// under an unsaved edit.
func expectRoundTrip<E: Entity & Equatable>(
  _ entities: [E], sourceLocation: SourceLocation = #_sourceLocation
) async throws where E.ID: Comparable {
  let entities = entities.sorted { $0.id < $1.id }
  let stack = try await Stack.temporary(E.self)
  try await stack.withScratch { scratch in
    for entity in entities { scratch.insert(entity) }
  }
  let scratch = stack.makeScratch()
  let ways = [
    ("fetched", try await stack.fetch(E.all)),
    ("found", try await scratch.find(E.self, entities.map(\.id))),
    ("layered", try await layered(scratch, entities)),
  ]
  for (way, found) in ways {
    #expect(found.count == entities.count, "\(way)", sourceLocation: sourceLocation)
    for (expected, entity) in zip(entities, found) where expected != entity {
      Issue.record("\(way): \(entity) instead of \(expected)", sourceLocation: sourceLocation)
    }
  }
  await stack.close()
}

/// Returns all entities, fetched while the first has an unsaved upsert.
///
/// So the rows pass through records.
private func layered<E: Entity>(
  _ scratch: ScratchContext, _ entities: [E]
) async throws -> [E] {
  guard let first = entities.first else { return [] }
  scratch.upsert(first)
  defer { scratch.rollback() }
  return try await scratch.fetch(E.all)
}
