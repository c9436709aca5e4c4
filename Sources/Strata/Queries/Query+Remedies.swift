// References, filters and orders that an entity and a query cannot have. The compiler shows their messages.

extension Sequence {
  @available(*, unavailable, message: "write the attribute first: '$0.id.isIn(ids)'")
  @_disfavoredOverload
  public func contains<Root>(_ element: QueryExpression<Root, Element>) -> Filter<Root>
  where Element: AttributeValue { fatalError() }
}

extension QueryExpression {
  @available(*, unavailable, message: "an attribute is no condition: compare it with a value")
  @_disfavoredOverload
  public static prefix func ! (value: Self) -> Filter<Root> { fatalError() }

  @available(*, unavailable, message: "an attribute is no condition: compare it with a value")
  @_disfavoredOverload
  public static func && (left: Self, right: Filter<Root>) -> Filter<Root> { fatalError() }

  @available(*, unavailable, message: "an attribute is no condition: compare it with a value")
  @_disfavoredOverload
  public static func || (left: Self, right: Filter<Root>) -> Filter<Root> { fatalError() }
}

extension QueryExpression where Value: TextValue {
  @available(*, unavailable, message: "write 'ignoringCase' in the place of 'lowercased()'")
  public func lowercased() -> Self { fatalError() }

  @available(*, unavailable, message: "write 'ignoringCase' in the place of 'uppercased()'")
  public func uppercased() -> Self { fatalError() }

  @available(*, unavailable, renamed: "hasPrefix(_:)")
  public func starts(with text: String) -> Filter<Root> { fatalError() }
}

extension TextOrder {
  @available(*, unavailable, message: "write 'order: .reverse'")
  public static var descending: TextOrder { fatalError() }

  @available(*, unavailable, message: "write 'order: .forward', or nothing")
  public static var ascending: TextOrder { fatalError() }

  @available(*, unavailable, message: "write 'order: .reverse'")
  public static var reverse: TextOrder { fatalError() }
}

extension Query {
  @available(*, unavailable, message: "write 'order: .reverse' in the place of 'ascending: false'")
  @_disfavoredOverload
  public func sorted<Value>(by path: KeyPath<Root, Value>, ascending: Bool) -> Self {
    fatalError()
  }

  @available(*, unavailable, renamed: "where(_:)")
  public func filter(_ condition: (Fields<Root, Root>) -> Filter<Root>) -> Self { fatalError() }
}

extension Entity {
  @available(
    *, unavailable,
    message: "a reference that is never nil needs a rule: 'onDelete: .cascade' or 'onDelete: .deny'"
  )
  @_disfavoredOverload
  public static func toOne<Target: Entity>(
    _ path: KeyPath<Self, Target.ID>, _ target: Target.Type, _ name: String? = nil,
    onDelete rule: DeleteRule = .nullify
  ) -> ToOne<Self, Target> { fatalError() }

  @available(*, unavailable, message: "write 'order: .reverse' in the place of 'ascending: false'")
  @_disfavoredOverload
  public static func sorted<Value>(
    by path: KeyPath<Self, Value>, ascending: Bool
  ) -> Query<Self> { fatalError() }

  @available(*, unavailable, renamed: "where(_:)")
  public static func filter(
    _ condition: (Fields<Self, Self>) -> Filter<Self>
  ) -> Query<Self> { fatalError() }
}
