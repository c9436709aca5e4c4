/// Functions that combine the numbers of annotations in clusters.
package enum ClusterValues {
  /// Combines two numbers, independent of their order.
  package typealias Combination = @Sendable (Double, Double) -> Double

  /// Combines two lists of numbers element by element.
  static func combine(
    _ combinations: [Combination], _ left: [Double], _ right: [Double]
  ) -> [Double] {
    zip(combinations, zip(left, right)).map { combination, pair in
      let number = combination(pair.0, pair.1)
      return number.isNaN ? 0 : number
    }
  }
}
