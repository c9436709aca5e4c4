// Reads the symbol graphs of a product from a folder that .ci/symbol-graphs made.
//
//   public-symbols list FOLDER           prints public symbols and conformances, sorted, one a line
//   public-symbols undocumented FOLDER   prints the symbols without documentation and the throwing
//                                        symbols without documented errors; fails if it prints any
//   public-symbols automatic FILE        prints the symbols of a module's converted page that are in a
//                                        group by kind, because no topic lists them; fails if it prints any

import Foundation

struct SymbolGraph: Decodable {
  struct Fragment: Decodable {
    var spelling: String
  }
  struct Constraint: Decodable {
    var kind: String
    var lhs: String
    var rhs: String

    var text: String {
      switch kind {
      case "sameType": "\(lhs) == \(rhs)"
      default: "\(lhs): \(rhs)"
      }
    }
  }
  struct Symbol: Decodable {
    struct Identifier: Decodable { var precise: String }
    struct Documentation: Decodable {
      struct Line: Decodable { var text: String }
      var lines: [Line]
      /// The module whose source has the comment. An inherited comment has its protocol's module.
      var module: String?
    }
    struct Extension: Decodable { var constraints: [Constraint]? }
    struct Availability: Decodable { var isUnconditionallyUnavailable: Bool? }
    struct Location: Decodable {
      struct Position: Decodable { var line: Int }
      var uri: String
      var position: Position
    }

    var identifier: Identifier
    var pathComponents: [String]
    var declarationFragments: [Fragment]
    var docComment: Documentation?
    var swiftExtension: Extension?
    var availability: [Availability]?
    var location: Location?

    var path: String { pathComponents.joined(separator: ".") }

    /// The declaration on one line, after the names of the types that contain it.
    var line: String {
      var line = declarationFragments.map(\.spelling).joined()
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if pathComponents.count > 1 {
        line = pathComponents.dropLast().joined(separator: ".") + ": " + line
      }
      if availability?.contains(where: { $0.isUnconditionallyUnavailable == true }) == true {
        line += " [unavailable]"
      }
      // The declaration does not include the constraints of its extension.
      line += swiftExtension?.constraints?.condition ?? ""
      return line
    }

    /// Returns the fault of the documentation, or nil if it has no fault.
    func fault(in module: String) -> String? {
      guard let lines = docComment?.lines,
        lines.contains(where: { !$0.text.allSatisfy(\.isWhitespace) })
      else { return "has no documentation" }
      guard docComment?.module == module, throwsErrors else { return nil }
      return lines.contains { $0.text.contains("Throws:") } ? nil : "does not say what it throws"
    }

    /// Whether the declaration itself throws. A `throws` inside parentheses belongs to a closure.
    private var throwsErrors: Bool {
      var depth = 0
      for fragment in declarationFragments {
        if fragment.spelling == "throws", depth == 0 {
          return !line.contains("throws(Never)")
        }
        for character in fragment.spelling {
          if character == "(" { depth += 1 }
          if character == ")" { depth -= 1 }
        }
      }
      return false
    }
  }
  struct Relationship: Decodable {
    var kind: String
    var source: String
    var target: String
    var targetFallback: String?
    var swiftConstraints: [Constraint]?
  }

  var symbols: [Symbol]
  var relationships: [Relationship]
}

extension [SymbolGraph.Constraint] {
  /// The constraints as in ` [Value: Hashable]`. Empty without constraints.
  var condition: String {
    let texts = filter { !["Copyable", "Escapable"].contains($0.rhs) }.map(\.text).sorted()
    return texts.isEmpty ? "" : " [\(texts.joined(separator: ", "))]"
  }
}

/// Returns the name of a type of another module.
///
/// Such a type has no symbol here, only a mangled name.
func extendedType(_ mangled: String) -> String {
  let short = [
    "s:SD": "Dictionary", "s:SS": "String", "s:Sa": "Array", "s:Sb": "Bool", "s:Sd": "Double",
    "s:Sf": "Float", "s:Si": "Int", "s:Sq": "Optional", "s:Su": "UInt",
  ]
  if let name = short[mangled] { return name }
  // In `s:20FoundationEssentials3URLV`, each name follows its length. The last name is the type's.
  var rest = mangled.drop { !$0.isNumber }
  var name = mangled
  while let length = Int(rest.prefix { $0.isNumber }) {
    rest = rest.drop { $0.isNumber }
    name = String(rest.prefix(length))
    rest = rest.dropFirst(length)
  }
  return name
}

/// The page of a module in an archive.
struct ModulePage: Decodable {
  struct Section: Decodable {
    var title: String?
    var identifiers: [String]
    var generated: Bool?
  }
  struct Reference: Decodable { var title: String? }
  struct Metadata: Decodable { var title: String }

  var metadata: Metadata
  var topicSections: [Section]?
  var references: [String: Reference]
}

guard CommandLine.arguments.count == 3 else {
  fatalError("public-symbols list|undocumented FOLDER, public-symbols automatic FILE")
}
if CommandLine.arguments[1] == "automatic" {
  let file = URL(filePath: CommandLine.arguments[2])
  let page = try JSONDecoder().decode(ModulePage.self, from: Data(contentsOf: file))
  // Which modules are extended depends on the system: on Linux a type may be in another module.
  let automatic = (page.topicSections ?? []).filter {
    $0.generated == true && $0.title != "Extended Modules"
  }
  for identifier in automatic.flatMap(\.identifiers) {
    let title = page.references[identifier]?.title ?? identifier
    print("\(page.metadata.title): no topic lists \(title)")
  }
  exit(automatic.isEmpty ? 0 : 1)
}
let folder = URL(filePath: CommandLine.arguments[2], directoryHint: .isDirectory)
let graphs = try FileManager.default.contentsOfDirectory(
  at: folder, includingPropertiesForKeys: nil
)
.filter { $0.lastPathComponent.hasSuffix(".symbols.json") }
.sorted { $0.lastPathComponent < $1.lastPathComponent }
.map { try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0)) }
let symbols = graphs.flatMap(\.symbols)

switch CommandLine.arguments[1] {
case "list":
  // Every type has these conformances by default, so the listing leaves them out.
  let implied: Set = ["Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"]
  let paths = Dictionary(
    symbols.map { ($0.identifier.precise, $0.path) }, uniquingKeysWith: { first, _ in first })
  // The ranks sort a type before its conformances, and the conformances before its members.
  var lines = symbols.map { (path: $0.path, rank: 0, line: $0.line) }
  var conformances: [String: Set<String>] = [:]
  for relationship in graphs.flatMap(\.relationships) where relationship.kind == "conformsTo" {
    guard let target = paths[relationship.target] ?? relationship.targetFallback,
      !implied.contains(target)
    else { continue }
    let isExtended = paths[relationship.source] == nil
    if isExtended, target.hasPrefix("Swift.") { continue }
    let source = paths[relationship.source] ?? extendedType(relationship.source)
    let name = target.split(separator: ".").last.map(String.init) ?? target
    let condition = relationship.swiftConstraints?.condition ?? ""
    if !condition.isEmpty {
      lines.append((source, 2, "\(source): conforms to \(name)\(condition)"))
    } else {
      conformances[source, default: []].insert(name)
    }
  }
  for (source, names) in conformances {
    lines.append((source, 1, "\(source): conforms to \(names.sorted().joined(separator: ", "))"))
  }
  var last = ""
  for (_, _, line) in lines.sorted(by: { $0 < $1 }) where line != last {
    print(line)
    last = line
  }
case "undocumented":
  let module = folder.lastPathComponent
  var faults = 0
  for symbol in symbols.sorted(by: { ($0.path, $0.line) < ($1.path, $1.line) }) {
    guard let fault = symbol.fault(in: module) else { continue }
    faults += 1
    let file = symbol.location.map { URL(string: $0.uri)?.path ?? $0.uri } ?? "?"
    let line = symbol.location.map { $0.position.line + 1 } ?? 0
    print("\(file):\(line): \(symbol.path) \(fault)")
  }
  if faults > 0 { exit(1) }
case let command:
  fatalError("public-symbols \(command)?")
}
