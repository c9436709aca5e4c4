import Foundation
import Strata
import StrataTestTurns
import StrataTesting
import Testing

@testable import StrataImport

private struct Region: Entity {
  var id = 0
  static let schema = Schema<Region>("regions", key: \.id) {}
}

private struct Town: Entity, Equatable {
  var id = 0
  var regionID = 1
  var code: Int?
  var height = 0

  static let schema = Schema<Town>("towns", key: \.id) {
    toOne(\.regionID, Region.self, onDelete: .cascade)
    Attribute(\.code).unique()
    Attribute(\.height)
    Validation("the height is not negative") { $0.height >= 0 }
  }
  static let json = JSONMapping<Town> {
    Field(\.id, "id")
    Field(\.regionID, "region")
    Field(\.code, "code")
    Field(\.height, "height")
  }
}

private struct Street: Entity, Equatable {
  var id = 0
  var townID = 0
  static let schema = Schema<Street>("streets", key: \.id) {
    toOne(\.townID, Town.self, onDelete: .cascade)
  }
}

private struct Photo: Entity, Equatable {
  var id = 0
  var townID: Int?
  static let schema = Schema<Photo>("photos", key: \.id) {
    toOne(\.townID, Town.self, onDelete: .nullify)
  }
}

/// A record that waits, or that is refused, is no deleted row: no delete rule runs for the rows that refer to it.
///
/// A street was dropped in silence while its town waited for a unique value, and the photo lost its reference.
@Suite(.inTurn, .stack(Region.self, Town.self, Street.self, Photo.self)) struct TakenBackRowTests {
  let stack = Stack.test

  /// The reason that keeps the town from being stored with its batch.
  enum Reason: CaseIterable { case code, region, rule, codeForGood }

  private func hear(
    _ json: String, _ commits: ImportOptions.Commits, _ batchSize: Int, skips: Bool
  ) async throws -> ImportResult {
    let document = JSONDocument {
      JSONRecords(
        Photo.self, at: "photos",
        JSONMapping {
          Field(\.id, "id")
          Field(\.townID, "town")
        })
      JSONRecords(
        Street.self, at: "streets",
        JSONMapping {
          Field(\.id, "id")
          Field(\.townID, "town")
        })
      JSONRecords(Town.self, at: "towns", Town.json)
      JSONRecords(Region.self, at: "regions", JSONMapping { Field(\.id, "id") })
      JSONRecords(Town.self, at: "changed", Town.json)
    }
    var options = ImportOptions()
    (options.commits, options.batchSize) = (commits, batchSize)
    if skips { options.refusedRecords = .skip() }
    return try await stack.importJSON(document, from: .data(Data(json.utf8)), options: options)
  }

  @Test(
    arguments: Reason.allCases, [ImportOptions.Commits.batched, .atomic])
  func `rows that refer to it wait with it, or keep their reference`(
    _ reason: Reason, _ commits: ImportOptions.Commits
  ) async throws {
    for (batchSize, skips) in [(3, true), (1_000, true), (3, false), (1_000, false)] {
      let isRefused = reason == .rule || reason == .codeForGood
      if isRefused && !skips { continue }
      try await stack.withScratch { scratch in
        for region in try await scratch.fetch(Region.all) { scratch.delete(region) }
        for photo in try await scratch.fetch(Photo.all) { scratch.delete(photo) }
      }
      try await stack.withScratch { scratch in
        scratch.insert(Region(id: 1))
        scratch.insert(Town(id: 1, code: 8))
      }
      let region = reason == .region ? 2 : 1
      let (code, height) = (
        reason == .code || reason == .codeForGood ? "8" : "null", reason == .rule ? -1 : 1
      )
      let changed = reason == .codeForGood ? "" : #"{"id":1,"region":1,"code":9,"height":1}"#
      let result = try await hear(
        #"{"photos":[{"id":6,"town":2}],"streets":[{"id":5,"town":2}],"#
          + #""towns":[{"id":2,"region":\#(region),"code":\#(code),"height":\#(height)}],"#
          + #""regions":[{"id":2}],"changed":[\#(changed)]}"#, commits, batchSize, skips: skips)
      let note = Comment("\(result), batches of \(batchSize), skips \(skips)")
      #expect(try await stack.fetch(Town.all).map(\.id).contains(2) == !isRefused, note)
      #expect(
        try await stack.fetch(Street.all) == (isRefused ? [] : [Street(id: 5, townID: 2)]), note)
      #expect(try await stack.fetch(Photo.all) == [Photo(id: 6, townID: 2)], note)
      #expect(result.skipped == (isRefused ? 2 : 0), note)
    }
  }
}
