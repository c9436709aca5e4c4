import Foundation
import Strata

extension FilterGenerator {
  // MARK: Numbers

  /// A generated number, and the same computation in plain Swift.
  private struct Number<R, V: NumericValue> {
    let value: QueryExpression<R, V?>
    let compute: (Piece) -> FilterNumber?
  }

  mutating func integers<R>(_ f: Fields<R, Piece>) -> GeneratedFilter<R, Piece> {
    if oneIn(3) {
      // A comparison without arithmetic.
      let value = pick(values.integers)
      return compare(f.plays, value, { FilterNumber($0.plays) }, FilterNumber(value))
    }
    if oneIn(3) { return compare(f.plays, f.skips, { FilterNumber($0.plays) }, Self.skips) }
    let (a, b) = (integer(f, 2), integer(f, 1))
    if oneIn(2) { return compare(a.value, b.value, a.compute, b.compute) }
    let value = pick(values.integers)
    return compare(a.value, value, a.compute, FilterNumber(value))
  }

  mutating func reals<R>(_ f: Fields<R, Piece>) -> GeneratedFilter<R, Piece> {
    let value = pick(values.reals)
    if oneIn(3) { return compare(f.rating, value, Self.rating, FilterNumber(value)) }
    if oneIn(3) { return compare(f.rating, f.bpm, Self.rating) { FilterNumber($0.bpm) } }
    let (a, b) = (real(f, 2), real(f, 1))
    if oneIn(2) { return compare(a.value, b.value, a.compute, b.compute) }
    return compare(a.value, value, a.compute, FilterNumber(value))
  }

  private static func skips(_ piece: Piece) -> FilterNumber? {
    piece.skips.map { FilterNumber($0) }
  }
  private static func rating(_ piece: Piece) -> FilterNumber? {
    piece.rating.map { FilterNumber($0) }
  }

  private mutating func integer<R>(_ f: Fields<R, Piece>, _ depth: Int) -> Number<R, Int> {
    if depth == 0 || oneIn(4) {
      if oneIn(2) { return Number(value: f.skips, compute: Self.skips) }
      return Number(value: f.plays + 0) { FilterNumber($0.plays) }
    }
    return compute(integer(f, depth - 1), integer(f, depth - 1), pick(values.integers)) {
      FilterNumber($0)
    }
  }

  private mutating func real<R>(_ f: Fields<R, Piece>, _ depth: Int) -> Number<R, Double> {
    if depth == 0 || oneIn(4) {
      if oneIn(2) { return Number(value: f.rating, compute: Self.rating) }
      return Number(value: f.bpm + 0) { FilterNumber($0.bpm) }
    }
    return compute(real(f, depth - 1), real(f, depth - 1), pick(values.reals)) { FilterNumber($0) }
  }

  private mutating func compute<R, V: NumericValue>(
    _ a: Number<R, V>, _ b: Number<R, V>, _ constant: V, _ number: (V) -> FilterNumber
  ) -> Number<R, V> where V.Unwrapped == V {
    let other = number(constant)
    if oneIn(6) {
      return Number(value: -a.value) { FilterNumber.compute("-", .integer(0), a.compute($0)) }
    }
    if oneIn(6) { return Number(value: a.value ?? b.value) { a.compute($0) ?? b.compute($0) } }
    if oneIn(8) {
      return Number(value: (a.value ?? constant) - constant) {
        FilterNumber.compute("-", a.compute($0) ?? other, other)
      }
    }
    let sign = pick(["+", "-", "*", "/", "%"] as [Character])
    func both(
      _ a: QueryExpression<R, V?>, _ b: QueryExpression<R, V?>
    ) -> QueryExpression<R, V?> {
      switch sign {
      case "+": a + b
      case "-": a - b
      case "*": a * b
      case "/": a / b
      default: a % b
      }
    }
    if oneIn(2) {
      let value: QueryExpression<R, V?> =
        switch sign {
        case "+": a.value + constant
        case "-": constant - a.value
        case "*": a.value * constant
        case "/": a.value / constant
        default: constant % a.value
        }
      let swapped = sign == "-" || sign == "%"
      return Number(value: value) {
        let x = a.compute($0)
        return FilterNumber.compute(sign, swapped ? other : x, swapped ? x : other)
      }
    }
    return Number(value: both(a.value, b.value)) {
      FilterNumber.compute(sign, a.compute($0), b.compute($0))
    }
  }

  /// Returns a comparison of a value with a constant.
  private mutating func compare<R, V: ComparableValue>(
    _ value: QueryExpression<R, V>, _ constant: V, _ number: @escaping (Piece) -> FilterNumber?,
    _ other: FilterNumber
  ) -> GeneratedFilter<R, Piece> {
    let kind = random.next() % 6
    let filter =
      switch kind {
      case 0: value == constant
      case 1: value != constant
      case 2: value < constant
      case 3: value <= constant
      case 4: value > constant
      default: value >= constant
      }
    return GeneratedFilter(filter: filter) { piece, _ in Self.holds(kind, number(piece), other) }
  }

  /// Returns a comparison of two values of rows.
  private mutating func compare<R, V: ComparableValue, W: ComparableValue>(
    _ a: QueryExpression<R, V>, _ b: QueryExpression<R, W>,
    _ first: @escaping (Piece) -> FilterNumber?, _ second: @escaping (Piece) -> FilterNumber?
  ) -> GeneratedFilter<R, Piece> where V.Unwrapped == W.Unwrapped {
    let kind = random.next() % 6
    let filter =
      switch kind {
      case 0: a == b
      case 1: a != b
      case 2: a < b
      case 3: a <= b
      case 4: a > b
      default: a >= b
      }
    return GeneratedFilter(filter: filter) { piece, _ in
      Self.holds(kind, first(piece), second(piece))
    }
  }

  private static func holds(_ kind: UInt64, _ a: FilterNumber?, _ b: FilterNumber?) -> Bool {
    guard let a, let b else {
      let bothAreMissing = a == nil && b == nil
      return kind == 0 ? bothAreMissing : kind == 1 && !bothAreMissing
    }
    return holds(kind, FilterNumber.order(a, b))
  }

  private static func holds(_ kind: UInt64, _ order: Int) -> Bool {
    switch kind {
    case 0: order == 0
    case 1: order != 0
    case 2: order < 0
    case 3: order <= 0
    case 4: order > 0
    default: order >= 0
    }
  }

  // MARK: Texts

  private static let locales = ["de_DE", "sv_SE", "en_US"].map { Locale(identifier: $0) }

  mutating func text<R, V: TextValue, S>(
    _ value: QueryExpression<R, V>, _ text: @escaping (S) -> String?
  ) -> GeneratedFilter<R, S> {
    let other = pick(values.texts)
    let bytes = Array(other.utf8)
    let folded = Self.fold(other)
    func condition(
      _ filter: Filter<R>, _ holds: @escaping (String) -> Bool
    ) -> GeneratedFilter<R, S> {
      GeneratedFilter(filter: filter) { subject, _ in text(subject).map(holds) ?? false }
    }
    switch random.next() % 13 {
    case 0: return condition(value.contains(other)) { Self.contains(Array($0.utf8), bytes) }
    case 1: return condition(value.hasPrefix(other)) { $0.utf8.starts(with: bytes) }
    case 2:
      return condition(value.hasSuffix(other)) { $0.utf8.reversed().starts(with: bytes.reversed()) }
    case 3:
      return condition(value.ignoringCase.contains(other)) { Self.contains(Self.fold($0), folded) }
    case 4:
      return condition(value.ignoringCase.hasPrefix(other)) { Self.fold($0).starts(with: folded) }
    case 5:
      return condition(value.ignoringCase.hasSuffix(other)) {
        Self.fold($0).reversed().starts(with: folded.reversed())
      }
    case 6: return condition(value.ignoringCase == other) { Self.fold($0) == folded }
    case 7:
      return GeneratedFilter(filter: value.ignoringCase != other) { subject, _ in
        text(subject).map { Self.fold($0) != folded } ?? true
      }
    case 8:
      let others = [other, pick(values.texts)]
      return condition(value.ignoringCase.isIn(others)) { text in
        others.contains { Self.fold($0) == Self.fold(text) }
      }
    case 9:
      let count = bytes.count
      return condition(value.utf8Count > count) { $0.utf8.count > count }
    case 10, 11: return localized(value, other, text)
    default:
      // Plain filters compare byte by byte.
      let other = pick(values.texts)
      return condition(value.contains(other) && value.utf8Count == other.utf8.count) {
        Array($0.utf8) == Array(other.utf8)
      }
    }
  }

  private mutating func localized<R, V: TextValue, S>(
    _ value: QueryExpression<R, V>, _ other: String, _ text: @escaping (S) -> String?
  ) -> GeneratedFilter<R, S> {
    let locale = pick(Self.locales)
    let localized = value.localized(locale)
    let kind = random.next() % 6
    let filter =
      switch kind {
      case 0: localized == other
      case 1: localized != other
      case 2: localized < other
      case 3: localized <= other
      case 4: localized > other
      default: localized >= other
      }
    return GeneratedFilter(filter: filter) { subject, _ in
      guard let text = text(subject) else { return kind == 1 }
      return Self.holds(
        kind, text.compare(other, options: [], range: nil, locale: locale).rawValue)
    }
  }

  private static func fold(_ text: String) -> [UInt8] {
    Array(text.lowercased().uppercased().lowercased().utf8)
  }

  private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    part.isEmpty || bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  // MARK: Ranges and lists

  mutating func dates<R>(_ f: Fields<R, Piece>) -> GeneratedFilter<R, Piece> {
    let (a, b) = (pick(values.dates), pick(values.dates))
    let (low, high) = (min(a, b), max(a, b))
    func condition(
      _ filter: Filter<R>, _ holds: @escaping (Date) -> Bool
    ) -> GeneratedFilter<R, Piece> {
      GeneratedFilter(filter: filter) { piece, _ in piece.released.map(holds) ?? false }
    }
    switch random.next() % 6 {
    case 0: return condition(f.released.isIn(low...high)) { (low...high).contains($0) }
    case 1: return condition(f.released.isIn(low..<high)) { (low..<high).contains($0) }
    case 2: return condition(f.released.isIn(low...)) { $0 >= low }
    case 3: return condition(f.released.isIn(...high)) { $0 <= high }
    case 4: return condition(f.released.isIn(..<high)) { $0 < high }
    default:
      return GeneratedFilter(filter: f.released == nil) { piece, _ in piece.released == nil }
    }
  }

  mutating func lists<R>(_ f: Fields<R, Piece>) -> GeneratedFilter<R, Piece> {
    // Strata passes a long list to SQLite as one value.
    let length = pick([0, 1, 3, 300])
    func list<V>(_ values: [V], _ more: (Int) -> V) -> [V] {
      (0..<length).map { $0 < 3 ? pick(values) : more($0) }
    }
    switch random.next() % 5 {
    case 0:
      let ids = Set(list(Array(0..<40)) { $0 + 20 })
      return GeneratedFilter(filter: f.id.isIn(ids)) { piece, _ in ids.contains(piece.id) }
    case 1:
      let texts = list(values.texts) { "text \($0)" }
      let bytes = Set(texts.map { Array($0.utf8) })
      return GeneratedFilter(filter: f.title.isIn(texts)) { piece, _ in
        bytes.contains(Array(piece.title.utf8))
      }
    case 2:
      let reals = Set(list(values.reals.map { Optional($0) } + [nil]) { Double($0) / 3 })
      return GeneratedFilter(filter: f.rating.isIn(reals)) { piece, _ in
        reals.contains(piece.rating)
      }
    case 3:
      let integers = Set(list(values.integers) { $0 * 1_000_003 })
      return GeneratedFilter(filter: f.plays.isIn(integers)) { piece, _ in
        integers.contains(piece.plays)
      }
    default:
      // A chain of `||`, as a loop would build it.
      let integers = list(values.integers) { $0 - 150 }
      let none = f.plays != f.plays
      return GeneratedFilter(filter: integers.reduce(none) { $0 || f.plays == $1 }) { piece, _ in
        integers.contains(piece.plays)
      }
    }
  }
}
