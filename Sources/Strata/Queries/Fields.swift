/// The `$0` of a filter, with the attributes and relationships of `Target`, reached from `Root`.
///
/// ```swift
/// Song.where { song in song.artist.name == "Nina" && song.bpm > 100 }
/// ```
@dynamicMemberLookup
public struct Fields<Root, Target: Entity>: Sendable {
  let hops: [AttributeReference.Hop]

  init(hops: [AttributeReference.Hop] = []) { self.hops = hops }

  /// An attribute.
  public subscript<Value: AttributeValue>(
    dynamicMember path: any KeyPath<Target, Value> & Sendable
  ) -> QueryExpression<Root, Value> {
    self[path]
  }

  /// A Bool attribute, which is a filter by itself.
  public subscript(dynamicMember path: any KeyPath<Target, Bool> & Sendable) -> Filter<Root> {
    Filter(AttributeReference(path, hops: hops))
  }

  /// The entity that a to-one relationship refers to.
  public subscript<Next: Entity>(
    dynamicMember relationship: any KeyPath<Target.Type, ToOne<Target, Next>> & Sendable
  ) -> Fields<Root, Next> {
    let definition = Target.self[keyPath: relationship].definition
    return Fields<Root, Next>(
      hops: hops + [AttributeReference.Hop(path: definition.path, target: Next.self)])
  }

  /// The entities that refer to this one.
  public subscript<Next: Entity>(
    dynamicMember relationship: any KeyPath<Target.Type, ToMany<Target, Next>> & Sendable
  ) -> RelatedFields<Root, Next> {
    RelatedFields(Target.self[keyPath: relationship], hops: hops)
  }

  /// The entities that are linked with this one.
  public subscript<Next: Entity>(
    dynamicMember relationship: any KeyPath<Target.Type, ManyToMany<Target, Next>> & Sendable
  ) -> RelatedFields<Root, Next> {
    RelatedFields(Target.self[keyPath: relationship], hops: hops)
  }

  /// An attribute by its key path.
  public subscript<Value: AttributeValue>(
    _ path: any KeyPath<Target, Value> & Sendable
  ) -> QueryExpression<Root, Value> {
    QueryExpression(node: .attribute(AttributeReference(path, hops: hops)))
  }
}

extension Entity {
  /// Returns the expression that a closure makes of the entity's fields, for property wrappers.
  public static func _expression<Value: AttributeValue>(
    _ value: (Fields<Self, Self>) -> QueryExpression<Self, Value>
  ) -> QueryExpression<Self, Value> { value(Fields()) }
}
