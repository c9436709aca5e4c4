/// A state or an outcome that contradicts the plain rows.
struct Contradiction: Error, CustomStringConvertible {
  let description: String

  static func unless(
    _ condition: Bool, _ text: @autoclosure () -> String
  ) throws(Contradiction) {
    if !condition { throw Contradiction(description: text()) }
  }

  /// The words of a violation up to its first number or list: violations of one kind have them in
  /// common.
  static func kind(of violation: String) -> Substring {
    violation.prefix { $0.isLetter || $0 == " " || $0 == "'" || $0 == "." }
  }
}
