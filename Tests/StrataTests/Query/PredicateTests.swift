import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Predicates as queries, which must find the same entities as in Foundation.
@Suite(.inTurn) struct PredicateTests {
  private static let ranks: [Int64] = [1, 2, 3]
  private static let titles: Set<String> = ["a", "ab"]
  private static let span: ClosedRange<Int64> = 0...5
  private static let day = Date(timeIntervalSinceReferenceDate: 0)

  private static var predicates: [Predicate<Track>] {
    let (ranks, titles, span, day) = (ranks, titles, span, day)
    let two: Int64? = 2
    return [
      #Predicate { $0.rank > 1 && $0.title != "b" },
      #Predicate { $0.rank >= 2 || $0.rank <= -1 || !($0.rank < 0) },
      #Predicate { $0.isLive },
      #Predicate { !$0.isLive && $0.maybeLive == true },
      #Predicate { $0.maybeRank == nil },
      #Predicate { $0.maybeRank != nil && $0.subtitle == nil },
      #Predicate { $0.maybeRank == two },
      #Predicate { $0.maybeRank != two },
      #Predicate { $0.rank == ($0.maybeRank ?? 0) },
      #Predicate { $0.title.contains("a") },
      #Predicate { $0.title.starts(with: "a") },
      #Predicate { $0.title.isEmpty },
      #Predicate { ($0.subtitle ?? "none").contains("n") },
      #Predicate { $0.subtitle?.isEmpty == true },
      #Predicate { $0.subtitle?.isEmpty == false },
      #Predicate { $0.subtitle?.isEmpty == nil },
      #Predicate { $0.subtitle?.isEmpty != true },
      #Predicate { $0.subtitle?.contains("a") ?? false },
      #Predicate { $0.subtitle?.starts(with: "a") ?? true },
      #Predicate { $0.subtitle.flatMap { $0.contains("b") } == true },
      #Predicate { $0.maybeRank.flatMap { $0 > 1 } ?? false },
      #Predicate { ($0.maybeRank.flatMap { $0 + 1 } ?? 0) == 3 },
      #Predicate { ($0.maybeRank ?? $0.rank) > 1 },
      #Predicate { $0.rank + 1 > 2 && $0.rank - 1 < 3 },
      #Predicate { $0.rank * 2 == 4 || -$0.rank == 1 },
      #Predicate { $0.rank / 2 == 1 || $0.rank % 2 == 1 },
      #Predicate { $0.length / 2 > 0.4 },
      #Predicate { ($0.maybeLength ?? 0) * 2 >= 1 },
      #Predicate { ranks.contains($0.rank) },
      #Predicate { titles.contains($0.title) },
      #Predicate { ["a", "b"].contains($0.title) },
      #Predicate { span.contains($0.rank) },
      #Predicate { (0...2).contains($0.rank) },
      #Predicate { (0..<2).contains($0.rank) },
      #Predicate { (-1...$0.rank).contains(2) },
      #Predicate { ($0.released ?? day) > day },
      #Predicate { ($0.rank > 1 ? $0.isLive : $0.title == "a") },
      #Predicate { ($0.rank > 1 ? $0.rank : 7) == 7 },
      #Predicate { ($0.rank > 1) == $0.isLive },
      #Predicate { ($0.rank > 1) != true },
    ]
  }

  private func tracks(_ random: inout SeededRandom) -> [Track] {
    // The texts are short and have only letters, because Foundation compares texts character by
    // character.
    let texts = ["", "a", "b", "ab", "ba", "none"]
    let ranks: [Int64] = [-1, 0, 1, 2, 3, 7]
    return (0..<60).map { _ in
      Track(
        isLive: random.oneIn(2), maybeLive: random.maybe([true, false]), rank: random.pick(ranks),
        maybeRank: random.maybe(ranks), length: random.pick([0, 0.5, 1, 2]),
        maybeLength: random.maybe([0, 0.5, 1, 2]), title: random.pick(texts),
        subtitle: random.maybe(texts),
        released: random.maybe([Self.day, Self.day.addingTimeInterval(1)]))
    }
  }

  @Test func `a query finds what its predicate holds for`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Track.self, Album.self)
    let scratch = stack.makeScratch()
    let tracks = tracks(&random)
    for track in tracks { scratch.insert(track) }
    for isSaved in [false, true] {
      if isSaved { try await scratch.save() }
      for (number, predicate) in Self.predicates.enumerated() {
        let expected = try tracks.filter { try predicate.evaluate($0) }.map(\.id)
        let query = try Track.where(predicate)
        let found =
          isSaved ? try await stack.fetch(query) : try await scratch.fetch(query)
        #expect(Set(found.map(\.id)) == Set(expected), "predicate \(number)")
      }
    }
    await stack.close()
  }

  @Test func `nil and zero make nothing trap`() async throws {
    let stack = try await Stack.temporary(Track.self, Album.self)
    let scratch = stack.makeScratch()
    scratch.insert(Track(rank: 0))
    try await scratch.save()
    let predicates: [Predicate<Track>] = [
      #Predicate { $0.maybeRank! > 1 }, #Predicate { 1 / $0.rank == 1 },
    ]
    for predicate in predicates {
      #expect(try await stack.fetch(try Query(predicate)).isEmpty)
    }
    await stack.close()
  }

  @Test func `a condition uses the index that a filter would`() throws {
    let model = try Model([Track.self, Album.self])
    let title = "a"
    let query = try Query(#Predicate<Track> { $0.title == title && $0.isLive == true })
    let filter = Track.where { $0.title == title && $0.isLive }
    #expect(try QueryPlan(query, model).identity == QueryPlan(filter, model).identity)
  }

  @Test func `a predicate is added to a query`() async throws {
    let query = try Track.where { $0.rank > 1 }.where(#Predicate { $0.isLive }).limit(3)
    let model = try Model([Track.self, Album.self])
    #expect(try QueryPlan(query, model).select(limit: nil, offset: 0).parameters.count == 2)
  }

  @Test func `a predicate that cannot be translated is named when the query is built`() throws {
    let (other, ranks) = ("x", Self.ranks)
    let predicates: [(Predicate<Track>, String)] = [
      (#Predicate { $0.title.count > 3 }, "cannot follow"),
      (#Predicate { $0.title.contains($0.title) }, "title"),
      (#Predicate { track in ranks.allSatisfy { $0 > track.rank } }, "AllSatisfy"),
      (#Predicate { other.contains($0.title) }, "captured text"),
      (#Predicate { $0.plays > 3 }, "no order"),
      (#Predicate { ($0.subtitle as Any?) is String }, "TypeCheck"),
    ]
    for (predicate, part) in predicates {
      let error = #expect(throws: QueryError.self) { _ = try Query(predicate) }
      #expect(error?.code == .unsupported)
      #expect(error?.description.contains(part) == true, "\(String(describing: error))")
    }
    let invalid = Double.nan
    let error = #expect(throws: QueryError.self) {
      _ = try Query(#Predicate<Track> { $0.length == invalid })
    }
    #expect(error?.code == .invalidValue)
  }
}
