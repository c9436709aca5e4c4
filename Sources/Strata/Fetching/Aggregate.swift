/// A value made of many entities: their number, or the sum, average, least or greatest value of an
/// attribute.
///
/// ```swift
/// let plays = try await view.fetch(.sum(\.plays), of: Song.all)
/// let (count, longest) = try await view.fetch(.count, .max(\.duration), of: album)
/// for (genre, count) in try await view.fetch(.count, of: Song.all.grouped(by: \.genre)) { … }
/// ```
///
/// Nil does not count as a value: it is not counted or summed, and it is never the least value.
public struct Aggregate<Root: Entity, Value: Sendable>: Sendable {
  /// The terms that the store computes.
  let terms: [AggregateTerm<SendablePath>]
  /// Makes the value from the cells of the terms.
  let value: @Sendable ([Cell]) throws(ValueError) -> Value
  /// The problem if there is no value.
  let problem: CodingFailure.Problem

  init(
    _ terms: [AggregateTerm<SendablePath>], _ problem: CodingFailure.Problem = .sum,
    value: @escaping @Sendable ([Cell]) throws(ValueError) -> Value
  ) {
    self.terms = terms
    self.problem = problem
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

  /// The number of distinct values of an attribute.
  ///
  /// The store counts. The spellings of a text are one value, and so are those of a `URL`, a `Decimal`, a
  /// ``JSONValue``, an array and a dictionary, as another program may have written them. Values of types
  /// of your own are the same if they are stored alike.
  public static func distinctCount<Attribute: AttributeValue>(
    _ path: any KeyPath<Root, Attribute> & Sendable
  ) -> Self { Self(counting: AggregateTerm(.distinct, path)) }

  private init(counting term: AggregateTerm<SendablePath>) {
    self.init([term]) { cells throws(ValueError) in try Int(cell: cells[0]) }
  }
}

extension Aggregate where Value == Double? {
  /// The average of an attribute; nil without values.
  public static func average<Attribute: AttributeValue>(
    _ path: any KeyPath<Root, Attribute> & Sendable
  ) -> Self where Attribute.Unwrapped: NumericValue {
    let storage = Attribute.storage
    return Self(_SumParts.terms(of: path, as: storage)) { cells throws(ValueError) in
      try _SumParts(cells, as: storage).average(as: storage)
    }
  }
}

extension Aggregate {
  /// The sum of an attribute: an `Int` for every kind of integer, a `Double` for reals; 0 without
  /// values.
  ///
  /// A sum of integers is exact, whatever the order of the additions. A sum outside the range of
  /// `Int` throws `invalidValue`. A sum of reals is rounded, and the order of its additions is not
  /// promised. Infinities with different signs add up to not-a-number.
  public static func sum<Attribute: AttributeValue>(
    _ path: any KeyPath<Root, Attribute> & Sendable
  ) -> Self where Attribute.Unwrapped: NumericValue, Value == Attribute.Unwrapped.Sum {
    let storage = Attribute.storage
    return Self(_SumParts.terms(of: path, as: storage)) { cells throws(ValueError) in
      try Value(_SumParts(cells, as: storage))
    }
  }

  /// The least value of an attribute; nil without values.
  ///
  /// If the attribute has an index and no other value is requested, the value is read from the
  /// index.
  public static func min<Attribute: ComparableValue>(
    _ path: any KeyPath<Root, Attribute> & Sendable
  ) -> Self where Value == Attribute.Unwrapped? { Self(extreme: .least, path) }

  /// The greatest value of an attribute; nil without values.
  ///
  /// If the attribute has an index and no other value is requested, the value is read from the
  /// index.
  public static func max<Attribute: ComparableValue>(
    _ path: any KeyPath<Root, Attribute> & Sendable
  ) -> Self where Value == Attribute.Unwrapped? { Self(extreme: .greatest, path) }

  private init<Unwrapped: AttributeValue>(
    extreme function: AggregateFunction, _ path: SendablePath
  ) where Value == Unwrapped? {
    self.init([AggregateTerm(function, path)], .unreadable) { cells throws(ValueError) in
      try Unwrapped?(cell: cells[0])
    }
  }
}
