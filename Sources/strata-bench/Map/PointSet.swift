import Foundation
import Strata
import StrataMap

/// Points to cluster, the same in every run.
enum PointSet: String, CaseIterable {
  /// Points all over the map, evenly spread by degrees.
  case uniform
  /// Points in 300 towns of different sizes, each with a normal distribution.
  case towns

  /// Returns the first `count` points of the set.
  func coordinates(_ count: Int) -> [Coordinate] {
    var random = MapRandom(seed: 42)
    switch self {
    case .uniform:
      return (0..<count).map { _ in
        let longitude = -180 + 360 * random.share()
        return Coordinate(latitude: -80 + 160 * random.share(), longitude: longitude)
      }
    case .towns:
      let towns = (0..<300).map { _ in
        Coordinate(latitude: -55 + 115 * random.share(), longitude: -170 + 340 * random.share())
      }
      let spreads = towns.map { _ in 0.02 + 0.4 * random.share() }
      // The n-th town has 1/n of the people of the first.
      var shares: [Double] = []
      for number in 1...300 { shares.append((shares.last ?? 0) + 1 / Double(number)) }
      return (0..<count).map { _ in
        let person = random.share() * shares[299]
        let town = shares.firstIndex { $0 >= person } ?? 299
        let (east, north) = (random.normal(), random.normal())
        return Coordinate(
          latitude: towns[town].latitude + north * spreads[town] * 0.7,
          longitude: max(-180, min(180, towns[town].longitude + east * spreads[town])))
      }
    }
  }
}

/// Numbers from a seed (SplitMix64, Steele et al. 2014).
struct MapRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Returns a number from 0 up to 1, 1 excluded.
  mutating func share() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return Double((word ^ word >> 31) >> 11) * 0x1p-53
  }

  mutating func below(_ bound: Int) -> Int { Int(share() * Double(bound)) }

  /// Returns a normally distributed number around 0 with a deviation of 1.
  mutating func normal() -> Double {
    let radius = (-2 * log(1 - share())).squareRoot()
    return radius * cos(2 * .pi * share())
  }
}
