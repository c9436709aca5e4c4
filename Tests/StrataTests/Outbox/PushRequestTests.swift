import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Episode: Entity, Equatable {
  var id = ""
  var title = ""
  static let schema = Schema<Episode>("episodes", key: \.id) { Attribute(\.title) }
}

private struct Chapter: Entity {
  var id = UUID()
  static let schema = Schema<Chapter>("chapters", key: \.id) {}
}

/// A request has the entity's own key, which a URL can have.
@Suite(.inTurn) struct PushRequestTests {
  @Test func `a request has the key and the change in the entity's types`() async throws {
    let stack = try await Stack.temporary(Episode.self, Chapter.self)
    let outbox = try await stack.outbox()
    let seen = Lock<[String]>([])
    func push() async throws {
      try await outbox.push { request in
        let text: String =
          switch request.change(of: Episode.self) {
          case .insert(let episode): "POST \(episode.id) \(episode.title)"
          case .update(let episode, let attributes): "PATCH \(episode.title) \(attributes)"
          case .delete(let id): "DELETE episodes/\(id)"
          case nil: "other \(request.id(of: Episode.self) == nil)"
          }
        seen.withLock { $0 += [text, "\(request)"] }
        return .done
      }
    }
    try await stack.withScratch { $0.insert(Episode(id: "e2", title: "a")) }
    try await push()
    try await stack.withScratch { $0.update(Episode(id: "e2", title: "a")) { $0.title = "b" } }
    try await push()
    try await stack.withScratch { $0.delete(Episode(id: "e2", title: "b")) }
    try await push()
    try await stack.withScratch { $0.insert(Chapter()) }
    try await push()
    #expect(
      seen.withLock(\.self) == [
        "POST e2 a", "insert Episode \"e2\"", #"PATCH b ["title"]"#, "update Episode \"e2\": title",
        "DELETE episodes/e2", "delete Episode \"e2\"", "other true",
      ] + seen.withLock { $0.suffix(1) })
    #expect(seen.withLock { $0.last?.hasPrefix("insert Chapter ") == true })
    await stack.close()
  }

  @Test func `a record key is an entity's key if it can be`() {
    let id = UUID()
    #expect(id.recordKey?.id(of: Chapter.self) == id)
    #expect("e2".recordKey?.id(of: Episode.self) == "e2")
    #expect("e2".recordKey?.id(of: Chapter.self) == nil)
  }
}
