import StrataSQLite
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct ReplicatedTablesTests {
  @Test func `the lists survive a renamed table and are no authors`() throws {
    let connection = try Connection.open(.memory)
    try OutboxTable.create(connection)
    #expect(try OutboxTable.replicatedTables(connection) == nil)
    #expect(try OutboxTable.pushes("app", connection) == nil)
    let tables = ReplicatedTables(pushed: ["songs", "albums"], readOnly: ["songs"])
    try OutboxTable.open(for: tables, ignoring: ["import"], connection)
    #expect(try OutboxTable.replicatedTables(connection) == tables)
    #expect(try OutboxTable.pushes("app", connection) == true)
    #expect(try OutboxTable.pushes("import", connection) == false)
    try OutboxTable.rename("songs", to: "tracks", columns: [], connection)
    let renamed = ReplicatedTables(pushed: ["tracks", "albums"], readOnly: ["tracks"])
    #expect(try OutboxTable.replicatedTables(connection) == renamed)
    #expect(renamed.takesEdits(of: "albums"))
    #expect(!renamed.takesEdits(of: "tracks"))
    #expect(!renamed.takesEdits(of: "others"))
  }
}
