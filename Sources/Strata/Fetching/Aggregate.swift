/// One value made of many entities: their number, or the sum, average, least or greatest value of
/// an attribute.
///
/// ```swift
/// let plays = try await view.fetch(.sum(\.plays), of: Song.all)
/// let (count, longest) = try await view.fetch(.count, .max(\.duration), of: album)
/// for (genre, count) in try await view.fetch(.count, of: Song.all.grouped(by: \.genre)) { … }
/// ```
///
/// Nil is no value: it is neither counted nor summed, and never the least.
public struct Aggregate<Root: Entity, Value: Sendable>: Sendable {
  /// What the store is asked for.
  let terms: [AggregateTerm<SendablePath>]
  /// Makes the value of the terms' cells.
  let value: @Sendable ([Cell]) throws(ValueError) -> Value

  init(
    _ terms: [AggregateTerm<SendablePath>],
    value: @escaping @Sendable ([Cell]) throws(ValueError) -> Value
  ) {
    self.terms = terms
    self.value = value
  }
}

extension Aggregate where Value == Int {
  /// The number of entities.
  public static var count: Self { Self(counting: AggregateTerm(.rows)) }

  /// The number of entities for which an attribute is not nil.
  public static func count<Attribute: AttributeValue>(
    _ path: any KeyPath<Root, Attribute> & Sendable
  ) -> Self { Self(counting: AggregateTerm(.values, path)) }

  /// The number of different values of an attribute.
  public static func distinctCount<Attribute: AttributeValue>(
    _ path: any KeyPath<Root, Attribute> & Sendable
  ) -> Self { Self(counting: AggregateTerm(.distinct, path)) }

  private init(counting term: AggregateTerm<SendablePath>) {
    self.init([term]) { cells throws(ValueError) in try Int(cell: cells[0]) }
  }
}

extension Aggregate where Value == Double? {
  /// The average of an attribute; nil of none.
  public static func average<Attribute: AttributeValue>(
    _ path: any KeyPath<Root, Attribute> & Sendable
  ) -> Self where Attribute.Unwrapped: NumericValue {
    let storage = Attribute.storage
    return Self(SumParts.terms(of: path, as: storage)) { cells throws(ValueError) in
      try SumParts(cells, as: storage).average(as: storage)
    }
  }
}

extension Aggregate {
  /// The sum of an attribute: an `Int` for every kind of integer, a `Double` for reals; 0 of none.
  ///
  /// A sum of integers is exact, whatever the order in which it is made; `invalidValue` is thrown
  /// if it is out of the range of `Int`. A sum of reals is rounded, in an order that is not
  /// promised; infinities with different signs add up to not-a-number.
  public static func sum<Attribute: AttributeValue>(
    _ path: any KeyPath<Root, Attribute> & Sendable
  ) -> Self where Attribute.Unwrapped: NumericValue, Value == Attribute.Unwrapped.Sum {
    let storage = Attribute.storage
    return Self(SumParts.terms(of: path, as: storage)) { cells throws(ValueError) in
      try Value(SumParts(cells, as: storage))
    }
  }

  /// The least value of an attribute; nil of none. Read from the attribute's index, if it has one
  /// and nothing else is asked.
  public static func min<Attribute: ComparableValue>(
    _ path: any KeyPath<Root, Attribute> & Sendable
  ) -> Self where Value == Attribute.Unwrapped? { Self(extreme: .least, path) }

  /// The greatest value of an attribute; nil of none. Read from the attribute's index, if it has
  /// one and nothing else is asked.
  public static func max<Attribute: ComparableValue>(
    _ path: any KeyPath<Root, Attribute> & Sendable
  ) -> Self where Value == Attribute.Unwrapped? { Self(extreme: .greatest, path) }

  private init<Unwrapped: AttributeValue>(
    extreme function: AggregateFunction, _ path: SendablePath
  ) where Value == Unwrapped? {
    self.init([AggregateTerm(function, path)]) { cells throws(ValueError) in
      try Unwrapped?(cell: cells[0])
    }
  }
}
