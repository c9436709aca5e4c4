/// Arithmetic in filters, such as `$0.playCount > $0.skipCount * 2`.
///
/// The results are SQLite's, in memory too. A nil operand or a division by zero gives nil. Integers
/// divide towards zero. A result that does not fit in 64 bits becomes a real number.
extension QueryExpression where Value.Unwrapped: NumericValue {
  /// The result of arithmetic, a number that may be missing.
  public typealias Number = QueryExpression<Root, Value.Unwrapped?>

  private static func number(
    _ operation: ArithmeticOperator, _ left: ExpressionNode, _ right: ExpressionNode
  ) -> Number {
    Number(node: .arithmetic(operation, left, right))
  }

  /// Returns the number with the opposite sign.
  public static prefix func - (number: Self) -> Number {
    // The subtraction negates as SQLite does, so the least integer becomes a real number.
    Self.number(.subtract, .literal(.integer(0)), number.node)
  }

  /// Returns the sum.
  public static func + <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Number where Other.Unwrapped == Value.Unwrapped {
    number(.add, left.node, right.node)
  }

  /// Returns the sum.
  public static func + (left: Self, right: Value.Unwrapped) -> Number {
    number(.add, left.node, ExpressionNode(right, for: left.node))
  }

  /// Returns the sum.
  public static func + (left: Value.Unwrapped, right: Self) -> Number {
    number(.add, ExpressionNode(left, for: right.node), right.node)
  }

  /// Returns the difference.
  public static func - <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Number where Other.Unwrapped == Value.Unwrapped {
    number(.subtract, left.node, right.node)
  }

  /// Returns the difference.
  public static func - (left: Self, right: Value.Unwrapped) -> Number {
    number(.subtract, left.node, ExpressionNode(right, for: left.node))
  }

  /// Returns the difference.
  public static func - (left: Value.Unwrapped, right: Self) -> Number {
    number(.subtract, ExpressionNode(left, for: right.node), right.node)
  }

  /// Returns the product.
  public static func * <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Number where Other.Unwrapped == Value.Unwrapped {
    number(.multiply, left.node, right.node)
  }

  /// Returns the product.
  public static func * (left: Self, right: Value.Unwrapped) -> Number {
    number(.multiply, left.node, ExpressionNode(right, for: left.node))
  }

  /// Returns the product.
  public static func * (left: Value.Unwrapped, right: Self) -> Number {
    number(.multiply, ExpressionNode(left, for: right.node), right.node)
  }

  /// Returns the quotient, which is nil where the divisor is 0.
  ///
  /// Integers divide towards zero.
  public static func / <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Number where Other.Unwrapped == Value.Unwrapped {
    number(.divide, left.node, right.node)
  }

  /// Returns the quotient, which is nil where the divisor is 0.
  ///
  /// Integers divide towards zero.
  public static func / (left: Self, right: Value.Unwrapped) -> Number {
    number(.divide, left.node, ExpressionNode(right, for: left.node))
  }

  /// Returns the quotient, which is nil where the divisor is 0.
  ///
  /// Integers divide towards zero.
  public static func / (left: Value.Unwrapped, right: Self) -> Number {
    number(.divide, ExpressionNode(left, for: right.node), right.node)
  }

  /// Returns the remainder of an integer division, which is nil where the divisor is 0.
  public static func % <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Number where Other.Unwrapped == Value.Unwrapped {
    number(.remainder, left.node, right.node)
  }

  /// Returns the remainder of an integer division, which is nil where the divisor is 0.
  public static func % (left: Self, right: Value.Unwrapped) -> Number {
    number(.remainder, left.node, ExpressionNode(right, for: left.node))
  }

  /// Returns the remainder of an integer division, which is nil where the divisor is 0.
  public static func % (left: Value.Unwrapped, right: Self) -> Number {
    number(.remainder, ExpressionNode(left, for: right.node), right.node)
  }
}
