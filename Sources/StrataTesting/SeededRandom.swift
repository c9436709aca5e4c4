internal import Foundation
internal import Strata

/// A random number generator that repeats its sequence for the same seed (SplitMix64).
///
/// It is for tests over generated input: ``printingSeed(_:)`` prints the seed, and
/// `STRATA_SEED=… swift test` repeats a run.
///
/// ```swift
/// var random = SeededRandom.printingSeed()
/// let songs = (0..<100).map { Song(id: $0, title: "\(random.below(10))") }
/// ```
public struct SeededRandom: RandomNumberGenerator, Sendable {
  /// The seed of the sequence.
  public let seed: UInt64
  private var numbers: SplitMix64

  /// Creates a generator that repeats the sequence of `seed`.
  public init(seed: UInt64) {
    self.seed = seed
    numbers = SplitMix64(seed: seed)
  }

  /// Returns a generator with the seed in the environment, or with a new seed, and prints the seed.
  public static func printingSeed(_ test: String = #function) -> SeededRandom {
    let given = ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) }
    let random = SeededRandom(seed: given ?? .random(in: 1...999_999_999))
    print("STRATA_SEED=\(random.seed) \(test)")
    return random
  }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 { numbers.next() }

  /// Returns a number from 0 up to but excluding `bound`, with a negligible bias.
  public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// Returns true once in `times` calls on average.
  public mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

  /// Returns a random element of the choices, which must not be empty.
  public mutating func pick<C: RandomAccessCollection>(_ choices: C) -> C.Element {
    choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
  }
}
