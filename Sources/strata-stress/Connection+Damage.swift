import Strata
import StrataSQLite

extension Connection {
  /// Returns the damage that SQLite finds in the tables, and in the indexes of words and places.
  ///
  /// `integrity_check` looks into virtual tables only since SQLite 3.44.
  func damage() throws -> [String] {
    var damage: [String] = []
    let verdict = try text("PRAGMA integrity_check") ?? "nothing"
    if verdict != "ok" { damage.append("integrity_check: \(verdict)") }
    for index in try names("sql LIKE '%USING fts5%'") {
      let name = index.quotedIdentifier
      do {
        try execute("INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)")
      } catch {
        damage.append("\(index): \(error)")
      }
    }
    for index in try names("sql LIKE '%USING rtree%'") {
      let check = try prepare("SELECT rtreecheck(?1)")
      defer { check.reset() }
      check.bind(1, index)
      let verdict = try check.step() ? check.string(0) : "nothing"
      if verdict != "ok" { damage.append("\(index): \(verdict)") }
    }
    return damage
  }

  private func names(_ condition: String) throws -> [String] {
    let tables = try prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND \(condition)")
    defer { tables.reset() }
    var names: [String] = []
    while try tables.step() { names.append(tables.string(0)) }
    return names
  }
}
