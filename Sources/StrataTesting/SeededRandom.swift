internal import Foundation
internal import Strata

/// A generator that repeats itself from its seed (SplitMix64).
///
/// For tests over generated input: ``printingSeed(_:)`` prints the seed, and
/// `STRATA_SEED=… swift test` repeats a run.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  /// What the sequence started from.
  public let seed: UInt64
  private var numbers: SplitMix64

  /// A generator that repeats the sequence of `seed`.
  public init(seed: UInt64) {
    self.seed = seed
    numbers = SplitMix64(seed: seed)
  }

  /// A generator with a new seed, or with the one in the environment, which is printed.
  public static func printingSeed(_ test: String = #function) -> SeededRandom {
    let given = ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) }
    let random = SeededRandom(seed: given ?? .random(in: 1...999_999_999))
    print("STRATA_SEED=\(random.seed) \(test)")
    return random
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 { numbers.next() }

  /// A number from 0 up to `bound`, excluded, without a bias that a test would notice.
  public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// True once in `times`.
  public mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

  /// One of the choices, of which there must be some.
  public mutating func pick<C: RandomAccessCollection>(_ choices: C) -> C.Element {
    choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
  }
}
