/// The path of a value inside a record: `id`, `properties.mag`, `geometry.coordinates[0]`,
/// `base['Sp. Attack']`.
package struct JSONPath: Sendable, Hashable, CustomStringConvertible {
  package enum Step: Sendable, Hashable {
    /// The member of an object.
    case key(String)
    /// The element of an array, from 0.
    case index(Int)
    /// The name of the member that has the record, as a text. It is the only step of its path.
    case memberName
  }

  package var steps: [Step]

  /// Creates a path whose keys may contain any characters, also dots and brackets.
  package init(_ steps: [Step]) { self.steps = steps }

  /// Reads a path from text, in which dots separate keys, `[n]` is an index and `['name']` is a key
  /// of any characters.
  ///
  /// Quotes are those of JSONPath (RFC 9535): single or double, with a backslash before a quote or
  /// a backslash of the name.
  package init(_ text: String) throws(JSONPlanError) {
    guard let steps = PathText(text).steps else { throw .invalidPath(text) }
    self.steps = steps
  }

  /// Returns the keys of a path without indexes; nil for any other text.
  static func keys(_ text: String) -> [String]? {
    guard let path = try? JSONPath(text) else { return nil }
    let keys = path.steps.compactMap { if case .key(let key) = $0 { key } else { nil } }
    return keys.count == path.steps.count ? keys : nil
  }

  package var description: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .key(let key) where PathText.isPlain(key): text += text.isEmpty ? key : ".\(key)"
      case .key(let key): text += "['\(PathText.escaped(key))']"
      case .index(let index): text += "[\(index)]"
      case .memberName: text += "name of the member"
      }
    }
  }
}

/// The text of a path.
private struct PathText {
  private var rest: Substring

  init(_ text: String) { rest = text[...] }

  /// Whether a key needs no brackets.
  static func isPlain(_ key: String) -> Bool {
    !key.isEmpty && !key.contains { $0 == "." || $0 == "[" }
  }

  static func escaped(_ key: String) -> String {
    key.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }

  /// The steps; nil if the text is no path.
  var steps: [JSONPath.Step]? {
    var text = self
    var steps: [JSONPath.Step] = []
    while !text.rest.isEmpty || steps.isEmpty {
      guard let step = text.next(isFirst: steps.isEmpty) else { return nil }
      steps.append(step)
    }
    return steps
  }

  private mutating func next(isFirst: Bool) -> JSONPath.Step? {
    if rest.first == "[" {
      rest.removeFirst()
      return rest.first == "'" || rest.first == "\"" ? quoted() : index()
    }
    if !isFirst {
      guard rest.first == "." else { return nil }
      rest.removeFirst()
    }
    let key = rest.prefix { $0 != "." && $0 != "[" }
    rest = rest[key.endIndex...]
    return key.isEmpty ? nil : .key(String(key))
  }

  private mutating func index() -> JSONPath.Step? {
    let digits = rest.prefix { $0 != "]" }
    guard digits.endIndex < rest.endIndex, digits.allSatisfy(\.isASCII), let index = Int(digits),
      index >= 0
    else { return nil }
    rest = rest[digits.endIndex...].dropFirst()
    return .index(index)
  }

  private mutating func quoted() -> JSONPath.Step? {
    let quote = rest.removeFirst()
    var key = ""
    while let next = rest.popFirst() {
      if next == quote { return rest.popFirst() == "]" ? .key(key) : nil }
      guard next == "\\" else {
        key.append(next)
        continue
      }
      guard let escaped = rest.popFirst(), escaped == quote || escaped == "\\" else { return nil }
      key.append(escaped)
    }
    return nil
  }
}
