// Writes the benchmark's large model. It has 60 entities, and eight of them have 60 attributes and
// 20 relationships each. The output is always the same.
//
//   swift .ci/large-model.swift Sources/strata-bench/LargeModel
import Foundation

let count = 60
let large = 8
let types: [(type: String, value: String)] = [
  ("String", "\"\""), ("Int", "0"), ("Double", "0.0"), ("String?", ""), ("Bool", "false"),
  ("Date", "Date(timeIntervalSinceReferenceDate: 0)"), ("Int?", ""), ("Double?", ""),
  ("Date?", ""), ("LargeModel.State", ".new"), ("Data?", ""), ("UUID?", ""),
]

func name(_ index: Int) -> String { (index < 10 ? "Entity0" : "Entity") + "\(index)" }

/// Returns the numbers of the entities that an entity's to-one relationships refer to.
func targets(_ index: Int) -> [Int] {
  if index < large { return (0..<12).map { (index * 7 + $0 * 5 + 1) % count } }
  return [index % large, (index + 3) % large, (index * 11 + 5) % count, (index * 17 + 9) % count]
}

func entity(_ index: Int) -> String {
  let attributes = (0..<(index < large ? 60 : 12)).map { (number: $0, $0 * 7 + index) }
  let referring = (0..<count).flatMap { source in
    targets(source).enumerated().filter { $0.element == index }.map { (source, $0.offset) }
  }
  let inverses = referring.prefix(index < large ? 8 : 2)
  var lines = ["struct \(name(index)): Entity {", "  var id = Key<\(name(index))>()"]
  for (number, kind) in attributes {
    let (type, value) = types[kind % types.count]
    lines.append("  var a\(number): \(type)" + (value.isEmpty ? "" : " = \(value)"))
  }
  for (number, target) in targets(index).enumerated() {
    lines.append("  var ref\(number)ID: \(name(target)).ID?")
  }
  lines.append("")
  for (number, target) in targets(index).enumerated() {
    lines.append("  static let ref\(number) = toOne(\\.ref\(number)ID, \(name(target)).self)")
  }
  for (number, inverse) in inverses.enumerated() {
    lines.append("  static let many\(number) = toMany(\\\(name(inverse.0)).ref\(inverse.1)ID)")
  }
  lines.append("  static let schema = Schema<\(name(index))>(\"entity\(index)\", key: \\.id) {")
  for (number, _) in attributes {
    lines.append("    Attribute(\\.a\(number))" + (number % 20 == 0 ? ".indexed()" : ""))
  }
  for number in targets(index).indices { lines.append("    ref\(number)") }
  for number in inverses.indices { lines.append("    many\(number)") }
  return (lines + ["  }", "}"]).joined(separator: "\n")
}

let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
for part in 0..<6 {
  let entities = (part * 10..<part * 10 + 10).map(entity)
  let head = "// Made by .ci/large-model.swift\n// swift-format-ignore-file\nimport Foundation\nimport Strata"
  try ([head] + entities).joined(separator: "\n\n").appending("\n")
    .write(to: folder.appendingPathComponent("Entities\(part).swift"), atomically: true, encoding: .utf8)
}
let list = (0..<count).map { "    \(name($0)).self," }.joined(separator: "\n")
try """
  // Made by .ci/large-model.swift
  // swift-format-ignore-file
  import Strata

  extension LargeModel {
    static let entities: [any Entity.Type] = [
  \(list)
    ]
  }

  """.write(to: folder.appendingPathComponent("Entities.swift"), atomically: true, encoding: .utf8)
