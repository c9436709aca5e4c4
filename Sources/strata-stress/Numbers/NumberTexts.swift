/// A generator of JSON numbers of every kind that a parser may get wrong.
///
/// The tests of StrataImport link this file.
struct NumberTexts<Generator: RandomNumberGenerator> {
  var generator: Generator

  mutating func next() -> String {
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: shortest(Double(bitPattern: generator.next()))
    case 1: "\(sign)\(lead)\(digits(0...3)).\(digits(2...2))"
    case 2: "\(sign)\(lead)\(digits(0...2)).\(digits(12...17))"
    case 3: "\(sign)0.\(digits(1...27))"
    case 4: "\(sign)\(lead)\(digits(0...30))"
    case 5: "\(sign)\(lead).\(digits(1...22))e\(Int.random(in: -345...310, using: &generator))"
    case 6: shortest(Double(bitPattern: generator.next() & 0x000F_FFFF_FFFF_FFFF))
    case 7: halfway(exponents: -60...60)
    default: halfway(exponents: -1074...970)
    }
  }

  private var sign: String {
    mutating get { Bool.random(using: &generator) ? "-" : "" }
  }

  private var lead: Int {
    mutating get { Int.random(in: 1...9, using: &generator) }
  }

  private mutating func digits(_ counts: ClosedRange<Int>) -> String {
    (0..<Int.random(in: counts, using: &generator)).map { _ in
      "\(Int.random(in: 0...9, using: &generator))"
    }.joined()
  }

  private func shortest(_ value: Double) -> String { value.isFinite ? "\(value)" : "0" }

  /// Returns the text of a number exactly halfway between two doubles, or just beside it.
  ///
  /// The halfway number is an odd number of 54 bits (fewer for subnormals) times a power of two.
  private mutating func halfway(exponents: ClosedRange<Int>) -> String {
    let exponent = Int.random(in: exponents, using: &generator)
    let low: UInt64 = exponent == -1074 ? 0 : 1 << 52
    let odd = UInt64.random(in: low..<1 << 53, using: &generator) * 2 + 1
    var text = Self.product(odd, powerOfTwo: exponent - 1)
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: break
    case 1: text += text.contains(".") ? "0001" : ".0001"
    default:
      // The last digit of a number below one is 5. A large number may have any last digit.
      if text.last != "0" { text.append("\(Int(String(text.removeLast())).map { $0 - 1 } ?? 0)9") }
      if !text.contains(".") { text.insert(".", at: text.index(before: text.endIndex)) }
    }
    return sign + text
  }

  /// Returns `factor × 2^power`, written out in full.
  private static func product(_ factor: UInt64, powerOfTwo power: Int) -> String {
    // Each limb has nine digits, and the lowest limb comes first. A negative power of two is 5^n /
    // 10^n.
    var limbs = [factor % 1_000_000_000, factor / 1_000_000_000]
    let (base, step, stepValue): (UInt64, Int, UInt64) =
      power < 0 ? (5, 13, 1_220_703_125) : (2, 31, 1 << 31)
    var left = abs(power)
    while left > 0 {
      let multiplier = left >= step ? stepValue : (0..<left).reduce(1) { value, _ in value * base }
      left -= min(left, step)
      var carry: UInt64 = 0
      for index in limbs.indices {
        let value = limbs[index] * multiplier + carry
        (carry, limbs[index]) = value.quotientAndRemainder(dividingBy: 1_000_000_000)
      }
      while carry > 0 {
        limbs.append(carry % 1_000_000_000)
        carry /= 1_000_000_000
      }
    }
    let padded = limbs.reversed().map { limb in
      let digits = "\(limb)"
      return String(repeating: "0", count: 9 - digits.count) + digits
    }.joined()
    let fraction = max(0, -power)
    let whole = String(repeating: "0", count: max(0, fraction + 1 - padded.count)) + padded
    let integer = String(whole.dropLast(fraction).drop { $0 == "0" })
    let head = integer.isEmpty ? "0" : integer
    return fraction == 0 ? head : "\(head).\(whole.suffix(fraction))"
  }
}
