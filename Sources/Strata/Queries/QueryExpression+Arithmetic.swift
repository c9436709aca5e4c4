/// Arithmetic in filters: `$0.playCount > $0.skipCount * 2`.
///
/// Computed as SQLite does, in memory too: a nil operand makes nil, and so does a division by zero;
/// integers divide towards zero, and a result that does not fit in 64 bits becomes a real number.
extension QueryExpression where Value.Unwrapped: NumericValue {
  /// What arithmetic makes: a number that may be missing.
  public typealias Number = QueryExpression<Root, Value.Unwrapped?>

  private static func number(
    _ operation: ArithmeticOperator, _ left: ExpressionNode, _ right: ExpressionNode
  ) -> Number {
    Number(node: .arithmetic(operation, left, right))
  }

  /// The number with the opposite sign.
  public static prefix func - (number: Self) -> Number {
    // As SQLite negates: the least integer becomes a real number.
    Self.number(.subtract, .literal(.integer(0)), number.node)
  }

  /// The sum.
  public static func + <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Number where Other.Unwrapped == Value.Unwrapped {
    number(.add, left.node, right.node)
  }

  /// The sum.
  public static func + (left: Self, right: Value.Unwrapped) -> Number {
    number(.add, left.node, ExpressionNode(right, for: left.node))
  }

  /// The sum.
  public static func + (left: Value.Unwrapped, right: Self) -> Number {
    number(.add, ExpressionNode(left, for: right.node), right.node)
  }

  /// The difference.
  public static func - <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Number where Other.Unwrapped == Value.Unwrapped {
    number(.subtract, left.node, right.node)
  }

  /// The difference.
  public static func - (left: Self, right: Value.Unwrapped) -> Number {
    number(.subtract, left.node, ExpressionNode(right, for: left.node))
  }

  /// The difference.
  public static func - (left: Value.Unwrapped, right: Self) -> Number {
    number(.subtract, ExpressionNode(left, for: right.node), right.node)
  }

  /// The product.
  public static func * <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Number where Other.Unwrapped == Value.Unwrapped {
    number(.multiply, left.node, right.node)
  }

  /// The product.
  public static func * (left: Self, right: Value.Unwrapped) -> Number {
    number(.multiply, left.node, ExpressionNode(right, for: left.node))
  }

  /// The product.
  public static func * (left: Value.Unwrapped, right: Self) -> Number {
    number(.multiply, ExpressionNode(left, for: right.node), right.node)
  }

  /// The quotient; nil where the divisor is 0. Integers divide towards zero.
  public static func / <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Number where Other.Unwrapped == Value.Unwrapped {
    number(.divide, left.node, right.node)
  }

  /// The quotient; nil where the divisor is 0. Integers divide towards zero.
  public static func / (left: Self, right: Value.Unwrapped) -> Number {
    number(.divide, left.node, ExpressionNode(right, for: left.node))
  }

  /// The quotient; nil where the divisor is 0. Integers divide towards zero.
  public static func / (left: Value.Unwrapped, right: Self) -> Number {
    number(.divide, ExpressionNode(left, for: right.node), right.node)
  }

  /// The remainder of a division of integers; nil where the divisor is 0.
  public static func % <Other>(
    left: Self, right: QueryExpression<Root, Other>
  ) -> Number where Other.Unwrapped == Value.Unwrapped {
    number(.remainder, left.node, right.node)
  }

  /// The remainder of a division of integers; nil where the divisor is 0.
  public static func % (left: Self, right: Value.Unwrapped) -> Number {
    number(.remainder, left.node, ExpressionNode(right, for: left.node))
  }

  /// The remainder of a division of integers; nil where the divisor is 0.
  public static func % (left: Value.Unwrapped, right: Self) -> Number {
    number(.remainder, ExpressionNode(left, for: right.node), right.node)
  }
}
