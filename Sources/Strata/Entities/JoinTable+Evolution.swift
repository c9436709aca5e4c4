extension JoinTable {
  /// What a join table says about its past: all of it follows from its two ends.
  ///
  /// Its name has theirs in it, and its references are their keys.
  static func evolution(
    _ definition: ManyToManyDefinition, owner: TableDraft, target: TableDraft
  ) -> TableEvolution {
    var columns = [
      TableEvolution.Column(valueType: "Data"), reference(owner), reference(target),
    ]
    if definition.isOrdered { columns.append(TableEvolution.Column(valueType: "Double")) }
    return TableEvolution(
      formerNames: formerNames(definition, owner, target),
      removed: definition.isOrdered ? [] : ["position"],
      columns: columns)
  }

  private static func reference(_ end: TableDraft) -> TableEvolution.Column {
    TableEvolution.Column(
      valueType: end.keyEvolution.valueType,
      evolution: AttributeEvolution(conversions: end.keyEvolution.conversions), target: end.name)
  }
}
