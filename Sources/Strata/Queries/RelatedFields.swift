/// The entities that a to-many or many-to-many relationship leads to, in a filter.
///
/// ```swift
/// Artist.where { $0.songs.any { $0.bpm > 100 } && $0.albums.count > 2 }
/// Note.where { $0.tags.contains("work") && $0.mentions.none { $0.tags.isEmpty } }
/// ```
///
/// A missing entity is related to nothing.
public struct RelatedFields<Root, Target: Entity>: Sendable {
  let relation: RelationReference
  /// The filter to which the relationship is narrowed.
  let narrowing: FilterNode?

  init<Owner: Entity>(_ relationship: ToMany<Owner, Target>, hops: [AttributeReference.Hop]) {
    relation = RelationReference(
      hops: hops, kind: .toMany(inverse: relationship.definition.inverse), target: Target.self)
    narrowing = relationship.refine(Query()).narrowing
  }

  init<Owner: Entity>(_ relationship: ManyToMany<Owner, Target>, hops: [AttributeReference.Hop]) {
    relation = RelationReference(
      hops: hops, kind: .links(relationship.reference), target: Target.self)
    narrowing = relationship.refine(Query()).narrowing
  }

  /// A condition on a related entity.
  public typealias Condition = (Fields<_Related<Root, Target>, Target>) -> Filter<
    _Related<Root, Target>
  >

  /// Tests whether at least one of the entities meets the condition.
  public func any(_ condition: Condition) -> Filter<Root> {
    Filter(node: any(condition(Fields()).node))
  }

  /// Tests whether all of the entities meet the condition.
  ///
  /// The test is true if there are no entities.
  public func all(_ condition: Condition) -> Filter<Root> {
    Filter(node: any(condition(Fields()).node.negation).negation)
  }

  /// Tests whether no entity meets the condition.
  ///
  /// The test is true if there are no entities.
  public func none(_ condition: Condition) -> Filter<Root> {
    Filter(node: any(condition(Fields()).node).negation)
  }

  /// Whether there are no related entities.
  public var isEmpty: Filter<Root> {
    Filter(node: FilterNode.any(relation, narrowing).checked.negation)
  }

  /// Tests whether the entity with the given key is one of the related entities.
  public func contains(_ key: Target.ID) -> Filter<Root> {
    let path = AttributeReference(Target.schema.definition.key.path)
    return Filter(node: any(.equal(path, key)))
  }

  /// The number of the related entities.
  public var count: QueryExpression<Root, Int> { .init(node: .counted(relation, narrowing)) }

  /// Returns the number of the related entities that meet the condition.
  public func count(where condition: Condition) -> QueryExpression<Root, Int> {
    .init(node: .counted(relation, narrowed(condition(Fields()).node)))
  }

  private func any(_ condition: FilterNode) -> FilterNode {
    FilterNode.any(relation, narrowed(condition)).checked
  }

  private func narrowed(_ condition: FilterNode) -> FilterNode {
    narrowing.map { .and($0, condition) } ?? condition
  }
}

/// The root of a condition on a related entity.
///
/// It is a type of its own, so that the condition cannot read the entity outside. The closures'
/// `$0` have different types, and mixing them does not compile.
public enum _Related<Root, Target> {}

extension Query {
  /// The filter of a narrowed relationship.
  fileprivate var narrowing: FilterNode? {
    if limit == nil && offset == 0 { return filter }
    return .invalid(
      "\(Root.self)", ValueError("a relationship with a limit cannot be asked about in a filter"))
  }
}
