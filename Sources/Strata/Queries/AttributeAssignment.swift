/// A new value of an attribute, for ``Stack/update(_:_:_:)``.
///
/// ```swift
/// try await stack.update(
///   Song.where { $0.loved }, .set(\.bpm, to: 90), .set(\.plays) { $0.plays + 1 })
/// ```
public struct AttributeAssignment<Root: Entity>: Sendable {
  let path: SendablePath
  let node: ExpressionNode
  /// Returns the cell as the attribute's type writes its value.
  let checked: @Sendable (Cell) throws(ValueError) -> Cell

  private init<Value: AttributeValue>(_ path: AttributePath<Root, Value>, _ node: ExpressionNode) {
    self.path = path
    self.node = node
    // A computed cell may be one that the type cannot read, or does not write so.
    checked = { cell throws(ValueError) in
      try Value(cell: try cell.checked(Value.self)).cell.checked(Value.self)
    }
  }

  /// Sets an attribute to a value.
  public static func set<Value: AttributeValue>(
    _ path: AttributePath<Root, Value>, to value: Value
  ) -> Self {
    Self(path, ExpressionNode(value))
  }

  /// Sets an attribute to a value that is computed from the attributes of the same row.
  ///
  /// The attributes have the values from before the update, in every assignment of the update. The
  /// update is refused if a value is nil or out of range where the attribute cannot be.
  public static func set<Value: AttributeValue, Computed: AttributeValue>(
    _ path: AttributePath<Root, Value>,
    to value: (Fields<Root, Root>) -> QueryExpression<Root, Computed>
  ) -> Self where Computed.Unwrapped == Value.Unwrapped {
    Self(path, value(Fields()).node)
  }
}

/// The assignments of an update, resolved against a model.
struct ResolvedAssignments: Sendable {
  private struct Assignment: Sendable {
    let column: Int
    let value: ResolvedExpression
    let checked: @Sendable (Cell) throws(ValueError) -> Cell
  }

  private var assignments: [Assignment] = []

  init<E: Entity>(
    _ assignments: [AttributeAssignment<E>], _ model: Model
  ) throws(StoreError) {
    let table = model.table(of: E.self)
    for assignment in assignments {
      var resolver = QueryResolver(model: model, root: table)
      let column = try resolver.resolve(AttributeReference(assignment.path)).column
      let value = try resolver.resolve(assignment.node)
      let name = table.attributeName(column)
      if column == Table.keyColumn {
        throw .query("\(name) is the key, which cannot be set", entity: table.entity)
      }
      if value.readsOtherRows {
        throw .query("\(name) is computed from other rows", entity: table.entity)
      }
      if self.assignments.contains(where: { $0.column == column }) {
        throw .query("\(name) is set twice", entity: table.entity)
      }
      self.assignments.append(
        Assignment(column: column, value: value, checked: assignment.checked))
    }
  }

  /// Returns a record with the assigned values, all of which are computed from the record itself.
  func applied(to record: Record) throws(CodingFailure) -> Record {
    var result = record
    for assignment in assignments {
      do throws(ValueError) {
        let cell = record.withView { view in
          assignment.value.value(MatchRow(row: view, joined: [], related: [], found: []))
        }
        result = try result.setting(assignment.column, to: try assignment.checked(cell))
      } catch {
        throw CodingFailure(column: assignment.column, error: error, .computed)
      }
    }
    return result
  }
}
