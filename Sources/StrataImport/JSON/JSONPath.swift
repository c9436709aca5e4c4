/// The path of a value inside a record: `id`, `properties.mag`, `geometry.coordinates[0]`.
package struct JSONPath: Sendable, Hashable, CustomStringConvertible {
  package enum Step: Sendable, Hashable {
    /// The member of an object.
    case key(String)
    /// The element of an array, from 0.
    case index(Int)
  }

  package var steps: [Step]

  /// Creates a path whose keys may contain any characters, also dots and brackets.
  package init(_ steps: [Step]) { self.steps = steps }

  /// Reads a path from text, in which dots separate keys and `[n]` is an index.
  package init(_ text: String) throws(JSONPlanError) {
    steps = []
    for (number, part) in text.split(separator: ".", omittingEmptySubsequences: false).enumerated()
    {
      var pieces = part.split(separator: "[", omittingEmptySubsequences: false)
      let key = pieces.removeFirst()
      if !key.isEmpty {
        steps.append(.key(String(key)))
      } else if number > 0 || pieces.isEmpty {
        throw .invalidPath(text)
      }
      for piece in pieces {
        guard piece.last == "]", piece.dropLast().allSatisfy(\.isASCII),
          let index = Int(piece.dropLast()), index >= 0
        else { throw .invalidPath(text) }
        steps.append(.index(index))
      }
    }
  }

  package var description: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .key(let key): text += text.isEmpty ? key : ".\(key)"
      case .index(let index): text += "[\(index)]"
      }
    }
  }
}
