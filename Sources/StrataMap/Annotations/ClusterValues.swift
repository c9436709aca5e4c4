/// The numbers of annotations that clusters combine.
package enum ClusterValues {
  /// Makes one number of two, whatever their order.
  package typealias Combination = @Sendable (Double, Double) -> Double

  /// Combines numbers one by one.
  static func combine(
    _ combinations: [Combination], _ left: [Double], _ right: [Double]
  ) -> [Double] {
    zip(combinations, zip(left, right)).map { combination, pair in
      let number = combination(pair.0, pair.1)
      return number.isNaN ? 0 : number
    }
  }
}
