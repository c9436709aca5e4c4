import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Job: Entity, Equatable {
  var id = 0
  var isDone = false
  var isPaid: Bool? = false
  var begins = Date.distantPast
  var ends: Date?

  static let schema = Schema<Job>("jobs", key: \.id) {
    Attribute(\.isDone)
    Attribute(\.isPaid)
    Attribute(\.begins)
    Attribute(\.ends)
  }
  static let json = JSONMapping<Job> {
    Field(\.id, "id")
    Field(\.isDone, "done", .zeroOrOne)
    Field(\.isPaid, "paid", .zeroOrOne)
    Field(\.begins, "begins", .epochMicroseconds)
    Field(\.ends, "ends", .epochMicroseconds)
  }
}

/// Tests Booleans and times in the forms that servers use instead of JSON's own types.
@Suite(.inTurn, .stack(Job.self)) struct ServerConventionTests {
  let stack = Stack.test

  private func read(_ json: String) async throws -> [Job] {
    try await stack.importJSON(Job.self, from: .data(Data(json.utf8)), mapping: Job.json)
    return try await stack.fetch(Job.sorted(by: \.id))
  }

  @Test func `zero and one are Booleans, and microseconds are times`() async throws {
    let jobs = try await read(
      #"""
      [{"id": 1, "done": 1, "paid": "0", "begins": 978307200000000, "ends": null},
       {"id": 2, "done": false, "paid": true, "begins": 978307200250000, "ends": 978307199999999},
       {"id": 3, "done": "1", "paid": null, "begins": 0}]
      """#)
    #expect(jobs.map(\.isDone) == [true, false, true])
    #expect(jobs.map(\.isPaid) == [false, true, nil])
    #expect(jobs.map(\.begins.timeIntervalSinceReferenceDate) == [0, 0.25, -978_307_200])
    #expect(jobs.map(\.ends?.timeIntervalSinceReferenceDate) == [nil, -0.000001, nil])
  }

  @Test(arguments: ["2", "-1", "0.5", "\"yes\"", "[]", "{}"])
  func `any other value is refused`(value: String) async throws {
    let error = await #expect(throws: ImportError.self) {
      _ = try await read(#"[{"id": 1, "done": \#(value)}]"#)
    }
    #expect(error?.code == .invalidValue && error?.path == "done")
  }

  @Test func `an exported job is imported as it was, in the server's conventions`() async throws {
    let jobs = try await read(
      #"[{"id": 1, "done": 1, "paid": 0, "begins": 978307200250000, "ends": 978307200500000}]"#)
    let json = try await stack.exportJSON(Job.all, mapping: Job.json)
    try await stack.withScratch { try await $0.fetch(Job.all).forEach($0.delete) }
    #expect(try await read(String(decoding: json, as: UTF8.self)) == jobs)
  }
}
