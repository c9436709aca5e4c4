/// What SQLite does to run a statement, or a part of that.
package struct PlanStep: Sendable {
  /// In SQLite's words.
  package let detail: String
  package let steps: [PlanStep]
}

extension Connection {
  /// How a statement would be run; it is compiled and not run.
  ///
  /// - Parameter sql: what reads or writes rows. A pragma would take effect.
  package func plan(of sql: String) throws(SQLiteError) -> [PlanStep] {
    var children: [Int64: [(id: Int64, detail: String)]] = [:]
    let statement = try prepare("EXPLAIN QUERY PLAN \(sql)")
    while try statement.step() {
      children[statement.integer(1), default: []].append(
        (statement.integer(0), statement.string(3)))
    }
    func tree(_ parent: Int64) -> [PlanStep] {
      (children[parent] ?? []).map { PlanStep(detail: $0.detail, steps: tree($0.id)) }
    }
    return tree(0)
  }
}
