/// A value of the entities to which a relationship leads, for each entity of a live tree.
///
/// ```swift
/// let artists = view.live(
///   Artist.all, with: .count(of: Artist.songs), .max(\.plays, of: Artist.songs))
/// ```
///
/// The entities are those that the relationship lists, its filter and its limit included.
public struct RelatedValue<Root: Entity, Shown: Sendable>: Relationship {
  public let _branch: _RelationshipBranch<Root, Shown>
  public let _prefetch: _RelationshipPrefetch<Root, Shown>

  private init<Target: Entity, Value>(
    _ aggregate: Aggregate<Target, Value>,
    of related: _RelationshipPrefetch<Root, [Target]>,
    _ shown: @escaping @Sendable (Value?) -> Shown,
    levels:
      @escaping @Sendable (inout TreePlan, Model, [AggregateTerm<Int>]) throws(StoreError) ->
      Void
  ) {
    _prefetch = _RelationshipPrefetch { fetch, roots throws(StoreError) in
      var values: [Shown] = []
      for targets in try await related.load(fetch, roots) {
        let cells = try fetch.values(of: aggregate.terms, over: targets)
        values.append(shown(try? aggregate.value(cells)))
      }
      return values
    }
    _branch = _RelationshipBranch { plan, model throws(StoreError) in
      let terms = try model.table(of: Target.self, for: "\(Root.self)").resolved(aggregate.terms)
      try levels(&plan, model, terms)
    } read: { content, _ in
      guard case .cells(let cells) = content else { return shown(nil) }
      return shown(try? aggregate.value(cells))
    }
  }

  fileprivate init<Target: Entity, Value>(
    _ aggregate: Aggregate<Target, Value>, of relationship: ToMany<Root, Target>,
    _ shown: @escaping @Sendable (Value?) -> Shown
  ) {
    self.init(aggregate, of: relationship._prefetch, shown) {
      plan, model, terms throws(StoreError) in
      let (targets, column, window) = try relationship.level(model)
      // The spellings of a text are one group of a fold, but they are different keys.
      let isExact = window.reach == nil && targets.table.columns[column].storage != .text
      let level = TreeLevel(
        targets, under: nil, by: .referring(column: column), reach: window.reach,
        fold: isExact ? AggregateFold(terms, by: [column]) : nil)
      plan.add(.values(level: plan.add(level), window: window, of: terms))
    }
  }

  fileprivate init<Target: Entity, Value>(
    _ aggregate: Aggregate<Target, Value>, of relationship: ManyToMany<Root, Target>,
    _ shown: @escaping @Sendable (Value?) -> Shown
  ) {
    self.init(aggregate, of: relationship._prefetch, shown) {
      plan, model, terms throws(StoreError) in
      plan.add(.linkedValues(try relationship.links(&plan, model), of: terms))
    }
  }
}

extension Relationship {
  /// The number of related entities.
  public static func count<Root, Target>(
    of relationship: ToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Int> {
    RelatedValue(.count, of: relationship) { $0 ?? 0 }
  }

  /// The number of linked entities.
  public static func count<Root, Target>(
    of relationship: ManyToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Int> {
    RelatedValue(.count, of: relationship) { $0 ?? 0 }
  }

  /// A value made of the related entities; nil if it cannot be made, such as a sum that is out of range.
  ///
  /// ```swift
  /// view.live(Artist.all, with: .value(.sum(\.plays), of: Artist.songs))
  /// ```
  public static func value<Root, Target, Value>(
    _ aggregate: Aggregate<Target, Value>, of relationship: ToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Value?> {
    RelatedValue(aggregate, of: relationship) { $0 }
  }

  /// A value made of the linked entities; nil if it cannot be made, such as a sum that is out of range.
  public static func value<Root, Target, Value>(
    _ aggregate: Aggregate<Target, Value>, of relationship: ManyToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Value?> {
    RelatedValue(aggregate, of: relationship) { $0 }
  }

  /// The least value of an attribute of the related entities; nil without values.
  public static func min<Root, Target, Value: ComparableValue>(
    _ path: any KeyPath<Target, Value> & Sendable, of relationship: ToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Value.Unwrapped?> {
    RelatedValue(.min(path), of: relationship) { $0 ?? nil }
  }

  /// The greatest value of an attribute of the related entities; nil without values.
  public static func max<Root, Target, Value: ComparableValue>(
    _ path: any KeyPath<Target, Value> & Sendable, of relationship: ToMany<Root, Target>
  ) -> Self where Self == RelatedValue<Root, Value.Unwrapped?> {
    RelatedValue(.max(path), of: relationship) { $0 ?? nil }
  }
}
