import StrataTesting

internal import Foundation

@testable import Strata

/// A generator of random filters over tracks, as a program would write them.
struct FilterGenerator {
  var random: SeededRandom
  let values: TrackValues
  private let track = Fields<Track, Track>()
  private let album = Fields<Track, Track>().album

  init(_ random: SeededRandom, _ values: TrackValues) {
    self.random = random
    self.values = values
  }

  mutating func filter(depth: Int) -> Filter<Track> {
    if depth == 0 || random.oneIn(4) { return leaf() }
    switch random.below(3) {
    case 0: return filter(depth: depth - 1) && filter(depth: depth - 1)
    case 1: return filter(depth: depth - 1) || filter(depth: depth - 1)
    default: return !filter(depth: depth - 1)
    }
  }

  private mutating func leaf() -> Filter<Track> {
    switch random.below(22) {
    case 0: return random.oneIn(2) ? track.isLive : track.isLive == random.oneIn(2)
    case 1: return equality(track.maybeLive, random.maybe([true, false]))
    case 2, 3: return order(track.rank, values.integers)
    case 4, 5: return optionalOrder(track.maybeRank, values.integers)
    case 6: return order(track.length, values.reals)
    case 7: return optionalOrder(track.maybeLength, values.reals)
    case 8: return order(track.title, values.texts)
    case 9: return optionalOrder(track.subtitle, values.texts)
    case 10, 11: return text(track.title)
    case 12, 13: return text(track.subtitle)
    case 14: return optionalOrder(track.released, values.dates)
    case 15: return equality(track.cover, random.maybe(values.blobs))
    case 16: return equality(track.genre, random.maybe([.jazz, .soul, .ska]))
    case 17: return equality(track.plays, random.pick(values.counts))
    case 18: return order(track.id, values.ids)
    case 19: return optionalOrder(album.year, values.integers)
    case 20: return random.oneIn(2) ? text(album.name) : text(album.subtitle)
    default:
      switch random.below(4) {
      case 0: return album.isCompilation
      case 1: return album.isCompilation == random.oneIn(2)
      default: return order(album.id, Array(0..<10))
      }
    }
  }

  private mutating func equality<V: AttributeValue>(
    _ attribute: QueryExpression<Track, V>, _ value: V
  ) -> Filter<Track> {
    switch random.below(4) {
    case 0: attribute == value
    case 1: attribute != value
    case 2: attribute.isIn([V]())
    default: attribute.isIn([value, value])
    }
  }

  private mutating func comparison<V: ComparableValue>(
    _ attribute: QueryExpression<Track, V>, _ value: V
  ) -> Filter<Track> {
    switch random.below(6) {
    case 0: attribute == value
    case 1: attribute != value
    case 2: attribute < value
    case 3: attribute <= value
    case 4: attribute > value
    default: attribute >= value
    }
  }

  private mutating func order<V: ComparableValue & Comparable>(
    _ attribute: QueryExpression<Track, V>, _ values: [V]
  ) -> Filter<Track> where V.Unwrapped == V {
    let (a, b) = (random.pick(values), random.pick(values))
    switch random.below(6) {
    case 0: return attribute.isIn(min(a, b)...max(a, b))
    case 1: return attribute.isIn(min(a, b)..<max(a, b))
    case 2: return attribute.isIn([a, b, random.pick(values)])
    default: return comparison(attribute, a)
    }
  }

  private mutating func optionalOrder<V: ComparableValue & Comparable>(
    _ attribute: QueryExpression<Track, V?>, _ values: [V]
  ) -> Filter<Track> {
    let (a, b) = (random.pick(values), random.pick(values))
    switch random.below(8) {
    case 0: return attribute.isIn(min(a, b)...max(a, b))
    case 1: return attribute.isIn(min(a, b)..<max(a, b))
    case 2: return attribute.isIn([random.maybe(values), b, random.maybe(values)])
    default: return comparison(attribute, random.maybe(values))
    }
  }

  private mutating func text<V: TextValue>(
    _ attribute: QueryExpression<Track, V>
  ) -> Filter<Track> {
    let whole = random.pick(values.texts)
    // The part is cut out of a text between code points, or it is a random text.
    let scalars = Array(whole.unicodeScalars)
    let part: String
    if scalars.isEmpty || random.oneIn(3) {
      part = random.text(parts: 2)
    } else {
      let start = random.below(scalars.count)
      let end = start + 1 + random.below(scalars.count - start)
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars[start..<end])
      part = String(view)
    }
    switch random.below(3) {
    case 0: return attribute.contains(part)
    case 1: return attribute.hasPrefix(part)
    default: return attribute.hasSuffix(part)
    }
  }
}
