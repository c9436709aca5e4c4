extension Edits {
  /// Returns the failures that a save of the edits would report, as far as the context knows the
  /// rows.
  func validate() -> [ValidationFailure] {
    var failures = ValidationFailures()
    for id in Set(layer.tables.keys).union(rejected.keys).sorted() {
      let table = model[id]
      for (key, error) in (rejected[id] ?? [:]).sorted(by: { $0.key < $1.key }) {
        failures.add(
          ValidationFailure(
            entity: table.entity, key: key, attribute: error.attributes.first,
            message: error.message))
      }
      guard let rules = table.rules, let changes = layer.tables[id] else { continue }
      for entry in changes.inKeyOrder {
        switch entry.change {
        case .known(let change)?:
          guard let after = change.after else { continue }
          rules.check(after, before: change.before, table, &failures)
        case .blind(.set(let record?))?: rules.check(record, before: nil, table, &failures)
        case .blind(.patch(let columns, let record))?:
          rules.check(columns, of: record, table, &failures)
        case .blind(.set(nil))?, nil: break
        }
      }
    }
    return failures.first
  }

  /// Returns the failures that a save would report if it inserted the entity.
  func validate<E: Entity>(_ entity: E) -> [ValidationFailure] {
    let table = model.table(of: E.self)
    var failures = ValidationFailures()
    do throws(CodingFailure) {
      let record = try encoded(entity, table)
      table.rules?.check(record, before: nil, table, &failures)
    } catch {
      let key = entity.id.recordKey ?? RecordKey(.null)
      failures.add(table, key, column: error.column, error.error.message)
    }
    return failures.first
  }
}
