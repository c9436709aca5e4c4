import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// The costs of statements, as a report lists them.
@Suite(.inTurn) struct StatementLedgerTests {
  private func ended(_ sql: String, _ milliseconds: Int, rows: Int = 0) -> EndedStatement {
    EndedStatement(sql: sql, duration: .milliseconds(milliseconds), rows: rows, scannedRows: 2)
  }

  @Test func `runs of one text are added up, those of the writer by themselves`() {
    let ledger = StatementLedger()
    ledger.note(ended("A", 2, rows: 5), isOfWriter: false)
    ledger.note(ended("A", 3, rows: 1), isOfWriter: false)
    ledger.note(ended("A", 1), isOfWriter: true)
    ledger.note(ended("EXPLAIN QUERY PLAN A", 100), isOfWriter: false)
    let all = ledger.costliest(10)
    #expect(all.map(\.runs) == [2, 1] && all.map(\.isOfWriter) == [false, true])
    #expect(all[0].total == .milliseconds(5) && all[0].longest == .milliseconds(3))
    #expect(all[0].rows == 6 && all[0].scannedRows == 4)
    #expect(ledger.costliest(1).count == 1 && ledger.costliest(0).isEmpty)
  }

  @Test func `any number of texts takes bounded memory, and the costliest stay`() {
    let ledger = StatementLedger()
    for number in 0..<10_000 {
      ledger.note(ended("cheap \(number)", 0), isOfWriter: false)
      if number % 1_000 == 0 { ledger.note(ended("dear", 7), isOfWriter: false) }
    }
    let all = ledger.costliest(.max)
    #expect(all.count <= 2 * StatementLedger.capacity)
    #expect(all.first?.sql == "dear" && all.first?.runs == 10)
  }

  @Test func `a report has what the app's statements cost, and their plans`() async throws {
    var options = Stack.Options()
    options.recordsStatements = true
    let stack = try await Stack.temporary(Boat.self, Harbour.self, options: options)
    try await stack.commit { scratch in
      for id in 1...100 { scratch.insert(Boat(id: id, name: "Boat \(id)", length: id)) }
    }
    for length in 1...3 {
      #expect(try await stack.fetch(Boat.where { $0.length == length }).count == 1)
      #expect(try await stack.fetch(Boat.where { $0.name == "Secret" }).isEmpty)
    }
    let report = try await stack.diagnostics(statements: 1_000)
    let byLength = try #require(
      report.statements.first { $0.sql.contains("\"length\" = ?") && !$0.isOfWriter })
    #expect(byLength.runs == 3 && byLength.rows == 3)
    #expect(byLength.scannedRows == 0 && byLength.plan.contains { $0.contains("USING INDEX") })
    #expect(byLength.longest <= byLength.total && byLength.longest > .zero)
    let byName = try #require(
      report.statements.first { $0.sql.contains("\"name\" = ?") && !$0.isOfWriter })
    #expect(byName.runs == 3 && byName.rows == 0)
    #expect(byName.scannedRows >= 3 * 99 && byName.plan.contains { $0.contains("SCAN") })
    let insertion = try #require(
      report.statements.first { $0.sql.hasPrefix("INSERT INTO \"boats\"") })
    #expect(insertion.runs == 100 && insertion.isOfWriter)
    #expect(report.statements.map(\.total) == report.statements.map(\.total).sorted(by: >))
    let text = "\(report)"
    #expect(text.contains(byName.sql) && text.contains("SCAN") && !text.contains("Secret"))
    #expect(try await stack.diagnostics(statements: 2).statements.count == 2)
    await stack.close()
  }

  // A pragma takes effect while it is compiled, even after EXPLAIN.
  @Test func `a report explains only what reads or writes rows`() async throws {
    var options = Stack.Options()
    options.recordsStatements = true
    let stack = try await Stack.temporary(Harbour.self, options: options)
    _ = try await stack.diagnostics(statements: 1_000)
    let report = try await stack.diagnostics(statements: 1_000)
    #expect(report.statements.contains { $0.sql.hasPrefix("PRAGMA") })
    #expect(report.statements.allSatisfy { !$0.sql.hasPrefix("PRAGMA") || $0.plan.isEmpty })
    await stack.close()
  }
}
