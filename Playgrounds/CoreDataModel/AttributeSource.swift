import Foundation

/// An attribute as Swift source: a property, an element of the schema, and notes.
struct AttributeSource {
  private(set) var property: String?
  private(set) var element: String?
  private(set) var notes: [String] = []

  init(_ attribute: DataAttribute, name: String, isKey: Bool, isIndexed: Bool, isUnique: Bool) {
    if name != attribute.name {
      notes.append("\(attribute.name) is \(name) here: \(attribute.name) is the key.")
    }
    let name = SwiftNames.property(name)
    if let former = attribute.renamingIdentifier {
      notes.append("\(attribute.name) was \(former) in an earlier model.")
    }
    notes += attribute.userInfo.map { "User info of \(attribute.name): \($0.key) = \($0.value)" }
    if attribute.isTransient {
      notes.append("\(attribute.name) was transient: compute it.")
      return
    }
    if let derivation = attribute.derivation {
      notes.append("\(attribute.name) was derived, \(derivation): compute it, or query for it.")
      return
    }
    guard let kind = ValueKind(attribute) else {
      switch attribute.type {
      case "": notes.append("\(attribute.name) had no type.")
      case "Composite":
        notes.append(
          "\(attribute.name) was a composite: make it a struct that conforms to Embedded.")
      default:
        notes.append(
          "\(attribute.name) has the type \(attribute.type), which says nothing of its values.")
      }
      return
    }
    if attribute.isExternal {
      notes.append(
        "Core Data kept large values of \(attribute.name) in files: here they are in the row.")
    }
    if kind == .bytes, attribute.type == "Transformable" {
      let of = attribute.className.map { " a \($0)" } ?? " something"
      notes.append(
        "\(attribute.name) was\(of) that a transformer archived: a Codable type that conforms to "
          + "JSONValue takes its place.")
    }
    if isKey, attribute.isOptional {
      notes.append("\(attribute.name) was optional: a row without it needs a key of its own.")
    }
    let isOptional = attribute.isOptional && !isKey && !(attribute.isScalar && kind.isNumber)
    let value = attribute.defaultValue.flatMap(kind.literal)
    if value == nil, let text = attribute.defaultValue, !text.isEmpty {
      notes.append("The default of \(attribute.name) was \(text), which is no \(kind.rawValue).")
    }
    let hasType = isOptional || kind.zero == nil
    if hasType {
      property = "var \(name): \(kind.rawValue)?" + (value.map { " = \($0)" } ?? "")
    } else {
      property =
        "var \(name)\(kind.isLiteral ? "" : ": \(kind.rawValue)") = \(value ?? kind.zero ?? "")"
    }
    guard !isKey else { return }
    var modifiers: [String] = []
    if isUnique {
      modifiers.append(".unique()")
    } else if isIndexed {
      modifiers.append(".indexed()")
    }
    if hasType, !isOptional { modifiers.append(".required()") }
    modifiers += rules(attribute, kind)
    let parts = ["Attribute(\\.\(name))"] + modifiers
    let isShort = parts.reduce(0) { $0 + $1.count } <= 94
    element = parts.joined(separator: isShort ? "" : "\n      ")
  }

  private mutating func rules(_ attribute: DataAttribute, _ kind: ValueKind) -> [String] {
    var rules: [String] = []
    if attribute.minimum != nil || attribute.maximum != nil {
      if let range = Self.range(attribute, kind) {
        rules.append(".validated(\(kind == .text ? "length: " : "")\(range))")
      } else {
        let (low, high) = (attribute.minimum ?? "any", attribute.maximum ?? "any")
        notes.append("\(attribute.name) was to be from \(low) to \(high).")
      }
    }
    if let pattern = attribute.pattern {
      if kind == .text, (try? Regex(pattern)) != nil, !pattern.contains("/#"),
        !pattern.contains(where: \.isNewline)
      {
        rules.append(".validated(matching: #/\(pattern)/#)")
      } else {
        notes.append("\(attribute.name) had to match \(pattern)")
      }
    }
    return rules
  }

  /// Returns the range of valid values, or of valid lengths of a text.
  ///
  /// The result is nil if a bound is no value of the kind, or if the range is empty.
  private static func range(_ attribute: DataAttribute, _ kind: ValueKind) -> String? {
    guard kind.isNumber && kind != .bool || kind == .text || kind == .date else { return nil }
    let bounds = kind == .text ? ValueKind.long : kind
    var text = ["", ""]
    var values = [-Double.infinity, .infinity]
    for (index, limit) in [attribute.minimum, attribute.maximum].enumerated() {
      guard let limit else { continue }
      guard let literal = bounds.literal(limit), let value = Double(limit) else { return nil }
      let isPlain = !literal.contains("??") && (index == 0 || value >= 0)
      (text[index], values[index]) = (isPlain ? literal : "(\(literal))", value)
    }
    return values[0] <= values[1] ? text.joined(separator: "...") : nil
  }
}

/// A type of values. The raw value is its name in Swift.
enum ValueKind: String {
  case short = "Int16", int = "Int32", long = "Int"
  case double = "Double", float = "Float", decimal = "Decimal", bool = "Bool"
  case text = "String", date = "Date", bytes = "Data", uuid = "UUID", url = "URL"
  case texts = "[String]", integers = "[Int]", doubles = "[Double]"

  init?(_ attribute: DataAttribute) {
    switch attribute.type {
    case "Integer 16": self = .short
    case "Integer 32": self = .int
    case "Integer 64": self = .long
    case "Double": self = .double
    case "Float": self = .float
    case "Decimal": self = .decimal
    case "Boolean": self = .bool
    case "String": self = .text
    case "Date": self = .date
    case "Binary": self = .bytes
    case "UUID": self = .uuid
    case "URI": self = .url
    case "Transformable":
      let lists: [ValueKind] = [.texts, .integers, .doubles]
      self = lists.first { $0.rawValue == attribute.className } ?? .bytes
    default: return nil
    }
  }

  var isNumber: Bool {
    switch self {
    case .short, .int, .long, .double, .float, .decimal, .bool: true
    case .text, .date, .bytes, .uuid, .url, .texts, .integers, .doubles: false
    }
  }

  /// Whether a literal alone tells the type.
  var isLiteral: Bool {
    switch self {
    case .long, .double, .bool, .text, .date, .bytes, .uuid: true
    case .short, .int, .float, .decimal, .url, .texts, .integers, .doubles: false
    }
  }

  /// The value of a new entity if the model has no default; nil for a URL.
  var zero: String? {
    switch self {
    case .short, .int, .long, .float, .decimal: "0"
    case .double: "0.0"
    case .bool: "false"
    case .text: "\"\""
    case .date: "Date.distantPast"
    case .bytes: "Data()"
    case .uuid: "UUID.timeOrdered()"
    case .texts, .integers, .doubles: "[]"
    case .url: nil
    }
  }

  /// Returns a value of a model as a literal, or nil if it is no value of this kind.
  func literal(_ text: String) -> String? {
    switch self {
    case .short: Self.whole(text, Int16.self)
    case .int: Self.whole(text, Int32.self)
    case .long: Self.whole(text, Int.self)
    case .double: Double(text).flatMap { $0.isFinite ? "\($0)" : nil }
    case .float: Float(text).flatMap { $0.isFinite ? "\($0)" : nil }
    case .decimal:
      Decimal(string: text, locale: nil).map { value in
        Int("\(value)").map(String.init) ?? "Decimal(string: \"\(value)\") ?? 0"
      }
    case .bool: ["YES", "1", "true"].contains(text) ? "true" : "false"
    case .text: SwiftNames.literal(text)
    case .date:
      Double(text).flatMap {
        $0.isFinite ? "Date(timeIntervalSinceReferenceDate: \($0))" : nil
      }
    case .uuid: UUID(uuidString: text).map { "UUID(uuidString: \"\($0)\") ?? UUID()" }
    case .url: URL(string: text).map { "URL(string: \(SwiftNames.literal($0.absoluteString)))" }
    case .bytes, .texts, .integers, .doubles: nil
    }
  }

  private static func whole<Number: FixedWidthInteger>(_ text: String, _: Number.Type) -> String? {
    (Number(text) ?? Double(text).flatMap(Number.init(exactly:))).map { "\($0)" }
  }
}
