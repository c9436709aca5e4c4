import Foundation

/// Names of a model as names of Swift source.
enum SwiftNames {
  /// The name of an entity's struct: not one that the generated source itself needs for something
  /// else.
  static func type(_ name: String) -> String {
    let name = name.prefix(1).uppercased() + name.dropFirst()
    return types.contains(name) ? name + "Entity" : name
  }

  /// Whether a struct of this name hides a type of Swift's that most programs use.
  static func hides(_ name: String) -> Bool {
    ["Array", "Character", "Dictionary", "Error", "Result", "Set", "Task"].contains(name)
  }

  /// The name of a property.
  static func property(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// The name of a relationship, a static member beside those that every entity has.
  static func relationship(_ name: String) -> String {
    property(members.contains(name) ? name + "Relationship" : name)
  }

  /// The name of a table: what the entity is called, in the plural.
  static func table(_ entity: String) -> String {
    let name = entity.prefix(1).lowercased() + entity.dropFirst()
    if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
      return name.dropLast() + "ies"
    }
    return name + (["s", "x", "z", "ch", "sh"].contains(where: name.hasSuffix) ? "es" : "s")
  }

  /// A case of an enumeration.
  static func enumCase(_ name: String) -> String {
    property(name.prefix(1).lowercased() + name.dropFirst())
  }

  /// A literal of a text.
  static func literal(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\\\"
      case "\"": "\\\""
      case "\n": "\\n"
      default: scalar.value < 32 ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }

  private static let types: Set<String> = [
    "Attribute", "AttributeValue", "Bool", "Data", "Date", "Decimal", "Double", "Entity", "Float",
    "Foundation",
    "Int", "Int16", "Int32", "Kind", "Key", "Schema", "Self", "Strata", "String", "Type", "URL",
    "UUID",
    "Unique",
  ]
  private static let members: Set<String> = [
    "all", "init", "manyToMany", "matching", "nearest", "schema", "sorted", "spatial", "toMany",
    "toOne",
    "where",
  ]
  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch",
    "class",
    "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
    "false",
    "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is",
    "let",
    "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows",
    "return",
    "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while",
  ]
}
