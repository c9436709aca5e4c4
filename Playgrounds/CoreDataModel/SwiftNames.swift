import Foundation

/// The conversion of a model's names to names in Swift source.
enum SwiftNames {
  /// Returns the name of an entity's struct. It differs from the names that the generated source
  /// uses.
  static func type(_ name: String) -> String {
    let name = name.prefix(1).uppercased() + name.dropFirst()
    return types.contains(name) ? name + "Entity" : name
  }

  /// Returns whether a struct of this name hides a type of Swift that most programs use.
  static func hides(_ name: String) -> Bool {
    ["Array", "Character", "Dictionary", "Error", "Result", "Set", "Task"].contains(name)
  }

  /// Returns the name of a property.
  static func property(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// Returns the name of a relationship. It differs from the static members that every entity has.
  static func relationship(_ name: String) -> String {
    property(members.contains(name) ? name + "Relationship" : name)
  }

  /// Returns the name of a table: the entity's name in the plural.
  static func table(_ entity: String) -> String {
    let name = entity.prefix(1).lowercased() + entity.dropFirst()
    if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
      return name.dropLast() + "ies"
    }
    return name + (["s", "x", "z", "ch", "sh"].contains(where: name.hasSuffix) ? "es" : "s")
  }

  /// Returns the name of a case of an enumeration.
  static func enumCase(_ name: String) -> String {
    property(name.prefix(1).lowercased() + name.dropFirst())
  }

  /// Returns a text as a Swift literal.
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
    "Index", "Int", "Int16", "Int32", "Kind", "Key", "Schema", "Self", "Strata", "String", "Type",
    "URL",
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
