internal import Foundation
public import Testing

/// A table of the section "What a person sees" of the article Errors.
///
/// The article is the only list of the texts. A suite provokes the error of each row, and compares its
/// texts with the row word by word.
public struct SeenErrors: Sendable {
  /// An error in the article, with the names that the article gives to files and lines.
  private struct Row: Sendable, Equatable {
    let situation: String
    let message: String
    let advice: String
  }

  private let heading: String
  private let rows: [Row]
  private let block: String

  /// Reads the tables and the block of code below a heading of the article.
  public init(under heading: String) throws {
    let article = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/Strata/Strata.docc/Errors.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let sections = text.components(separatedBy: "\n### ")
    let section = sections.first { $0.hasPrefix("\(heading)\n") } ?? ""
    let lines = section.components(separatedBy: "\n## ")[0].components(separatedBy: "\n")
    self.heading = heading
    rows = lines.filter { $0.hasPrefix("| ") && !$0.contains("---") }.dropFirst().map { line in
      let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
      return Row(
        situation: cells[0], message: Self.code(cells.dropFirst().first),
        advice: Self.code(cells.last))
    }
    let blocks = section.components(separatedBy: "```\n")
    block = blocks.count > 1 ? blocks[1] : ""
  }

  /// Returns the text of a cell that is code.
  private static func code(_ cell: String?) -> String {
    (cell ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "` "))
  }

  /// Checks that the suite provokes each row, in the order of the article.
  public func check(
    provoked situations: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(rows.map(\.situation) == situations, sourceLocation: sourceLocation)
  }

  /// Provokes an error, and compares its texts with those of the article.
  ///
  /// - Parameter names: texts of this run, and the texts that the article has in their place.
  public func check(
    _ situation: String, naming names: [(run: String, article: String)] = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ provoke: nonisolated(nonsending) () async throws -> Void
  ) async {
    do {
      try await provoke()
      Issue.record("no error: \(situation)", sourceLocation: sourceLocation)
    } catch {
      let row = Row(
        situation: situation, message: Self.named(error.localizedDescription, names),
        advice: Self.named((error as? any LocalizedError)?.recoverySuggestion ?? "", names))
      #expect(row == rows.first { $0.situation == situation }, sourceLocation: sourceLocation)
    }
  }

  /// Provokes an error whose texts have several lines, and compares them with the article's block.
  public func checkBlock(
    naming names: [(run: String, article: String)] = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ provoke: nonisolated(nonsending) () async throws -> Void
  ) async {
    do {
      try await provoke()
      Issue.record("no error: the block below \(heading)", sourceLocation: sourceLocation)
    } catch {
      let advice = (error as? any LocalizedError)?.recoverySuggestion ?? ""
      let text = Self.named("\(error.localizedDescription)\n\(advice)\n", names)
      #expect(text == block, sourceLocation: sourceLocation)
    }
  }

  private static func named(_ text: String, _ names: [(run: String, article: String)]) -> String {
    let lines = text.replacing(/\S+\.swift:\d+/, with: "Song.swift:7")
    return names.reduce(lines) { $0.replacingOccurrences(of: $1.run, with: $1.article) }
  }
}
