/// A step of SQLite's plan for a statement, with the steps that it consists of.
package struct PlanStep: Sendable {
  /// SQLite's description of the step.
  package let detail: String
  package let steps: [PlanStep]
}

extension Connection {
  /// Returns SQLite's plan for a statement, which is compiled but not run.
  ///
  /// - Parameter sql: a statement that reads or writes rows. A pragma would take effect.
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
