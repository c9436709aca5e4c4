extension JoinTable {
  /// Returns the declarations of a join table about earlier versions.
  ///
  /// They all follow from its two ends. The table's name contains the names of both ends. Its
  /// references are the keys of both ends.
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
