/// The phase of a save between the delete rules and the writing.
///
/// It checks all rows against the rules of the schema before any row is written.
enum SaveValidation {
  /// Checks the rows that the save would write.
  ///
  /// - Throws: a single error with every failure, in the order of tables and keys.
  static func check(_ working: WorkingSet, _ model: Model) throws(StoreError) {
    guard model.hasRules else { return }
    var failures = ValidationFailures()
    for id in working.tableIDs {
      let table = model[id]
      guard let rules = table.rules, let rows = working.tables[id] else { continue }
      for row in rows.all {
        guard let after = row.after else { continue }
        rules.check(after, before: row.before, table, &failures)
      }
    }
    if let error = StoreError(failures) { throw error }
  }

  /// Takes back the rows that break a rule, and returns the first failure of each row.
  static func takeBackRefused(
    _ working: inout WorkingSet, _ model: Model
  ) -> [ValidationFailure] {
    var refused: [ValidationFailure] = []
    for id in working.tableIDs {
      let table = model[id]
      guard let rules = table.rules else { continue }
      var keys: Set<RecordKey> = []
      for row in working.tables[id]?.all ?? [] {
        guard let after = row.after,
          let failure = rules.failure(of: after, before: row.before, table)
        else { continue }
        refused.append(failure)
        keys.insert(row.key)
      }
      working.takeBack(keys, of: id)
    }
    return refused
  }
}
