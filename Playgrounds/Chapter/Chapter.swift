import Foundation

/// Prints a chapter of the playgrounds: numbered sections with results, and the code behind each
/// result.
///
///     let chapter = Chapter()
///     chapter.section("An edit shows at once")
///     view.insert(song)
///     chapter.show("\(try await view.count(Song.all)) songs")
///
/// The code is read from the source file of the caller, so it is the code that ran. The lines
/// directly above a call of `show` are shown with its result.
@MainActor package final class Chapter {
  private let terminal: Terminal
  private let source: ChapterSource
  private let put: (String) -> Void
  private var sections = 0
  private var shownLine = 0

  /// - Parameters:
  ///   - path: The source file of the chapter.
  ///   - terminal: The output that the lines are made for.
  ///   - put: A function that takes each line.
  package init(
    path: String = #filePath, terminal: Terminal = .output,
    put: @escaping (String) -> Void = { print($0) }
  ) {
    self.terminal = terminal
    self.put = put
    source = ChapterSource(path: path)
  }

  /// Begins a section with the next number.
  package func section(_ title: String) {
    if sections > 0 { put("") }
    sections += 1
    let number = "\(sections). "
    for line in terminal.lines(terminal.spelled(number + title), hanging: number.count) {
      put(terminal.bold(line))
    }
  }

  /// Shows the code directly above the call, and a result of it.
  ///
  /// In a loop, the code is shown once.
  package func show(_ result: String, line: Int = #line) {
    if line != shownLine { show(source.code(above: line)) }
    shownLine = line
    for line in terminal.lines(terminal.spelled("→ " + result), indent: 3, hanging: 5) {
      put(terminal.green(line))
    }
  }

  /// Explains a result.
  package func note(_ text: String) {
    for line in terminal.lines(terminal.spelled(text), indent: 5) { put(line) }
  }

  /// Ends the chapter with its last line.
  package func end(_ line: String) {
    put("")
    put(terminal.spelled(line))
  }

  private func show(_ code: [String]) {
    for line in code.map(terminal.spelled) {
      let indent = 3 + line.prefix { $0 == " " }.count
      // A file keeps the lines as they are in the source.
      let lines =
        terminal.isInteractive
        ? terminal.lines(String(line.drop { $0 == " " }), indent: indent, hanging: indent + 4)
        : ["   " + line]
      for line in lines { put(terminal.code(line)) }
    }
  }
}
