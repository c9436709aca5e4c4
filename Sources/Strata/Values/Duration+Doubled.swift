extension Duration {
  /// Returns the duration after some doublings, or `longest` if that is less.
  package func doubled(_ times: Int, atMost longest: Duration) -> Duration {
    var result = min(self, longest)
    var left = times
    // Compare with half of the limit: twice a long duration may overflow.
    while left > 0 && result > .zero && result < longest {
      result = result > longest / 2 ? longest : result * 2
      left -= 1
    }
    return result
  }
}
