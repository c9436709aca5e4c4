extension Chapter {
  /// Shows the outcome of a refresh, the server's answers, and the changes of the list on screen.
  func show(
    _ outcome: String, from server: NewsServer, on screen: Screen, line: Int = #line
  ) async {
    show(outcome, line: line)
    let answers = await server.takeLog()
    show("server  \(answers.isEmpty ? "–" : answers.joined(separator: ", "))", line: line)
    await screen.settled()
    for change in screen.takeLog() { show("screen  \(change)", line: line) }
  }
}
