// Pull to refresh: from the gesture to the rows on screen, whatever the server does. Then the way
// back: edits that are made offline reach the server.
//
//   swift run --package-path Playgrounds/PullToRefresh
//
// The program prints the lines above each `chapter.show`, and then the result. It fails if the app
// or the server has an article that it should not have.

import Foundation
import Strata
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let chapter = Chapter()
let server = try NewsServer()
let url = try await server.start()
let stack = try await Stack.temporary(Article.self)

/// Refreshes the feed, as the gesture does, and returns the outcome for the user.
@MainActor func pull() async -> String {
  do {
    switch try await refresher.refresh(news) {
    case .fresh: return "young enough"
    case .notModified: return "nothing new"
    case .imported(let result):
      return
        "\(result.inserted) new, \(result.updated) changed, \(result.deleted) gone"
        + (result.unsent > 0
          ? ", \(result.unsent) kept that no server has" : "")
    }
  } catch {
    return error.localizedDescription
  }
}

// The refresh deletes rows that no page has.
chapter.section("A feed is a URL whose records become rows")
var news = Feed(
  "news", Article.self, from: URLRequest(url: url), mapping: Article.json,
  absent: .delete)
news.paging = .linkHeader
let refresher = Refresher(
  stack,
  retries: RetryPolicy(limit: 3, firstDelay: .milliseconds(50), jitter: 0))
let screen = Screen(stack.viewContext.live(Article.all.sorted(by: \.id)))
chapter.show("the list on screen follows a live query")

chapter.section("The first pull: three pages, from a server that is overloaded at first")
await server.fail(times: 2)
var outcome = await pull()
await chapter.show(outcome, from: server, on: screen)

chapter.section("The user opens the third article, and pulls")
if let article = try await stack.viewContext.find(Article.self, 3) {
  stack.viewContext.update(article) { $0.isRead = true }
}
try await stack.viewContext.save()
outcome = await pull()
await chapter.show(outcome, from: server, on: screen)

chapter.section("The server corrects an article, withdraws one and has a new one")
await server.publish(3, "Headline 3, corrected")
await server.publish(7, nil)
await server.publish(26, "Headline 26")
outcome = await pull()
await chapter.show(outcome, from: server, on: screen)

// The server gets one request for each page. Before rows that no page has are deleted, it gets a
// second request for each page, to see whether the page is unchanged.
chapter.section("Ten screens refresh at once, and the server is slow")
await server.publish(27, "Headline 27")
await server.slowDown(.milliseconds(20))
try await withThrowingTaskGroup { group in
  for _ in 0..<10 { group.addTask { try await refresher.refresh(news) } }
  try await group.waitForAll()
}
await chapter.show("ten refreshes", from: server, on: screen)

chapter.section("The screen appears again: a copy that is young enough needs no request")
let refresh = try await refresher.refresh(news, ifOlderThan: .seconds(60))
await chapter.show("\(refresh)", from: server, on: screen)

chapter.section("The server is down, and the screen keeps its rows")
await server.fail(times: 100)
outcome = await pull()
await chapter.show(outcome, from: server, on: screen)

chapter.section("An article was written before the app could send any, and the feed lacks it")
await server.fail(times: 0)
try await stack.withScratch { scratch in
  scratch.insert(
    Article(id: -1, localID: UUID(), number: 101, title: "Opinion"))
}
let outbox = try await stack.outbox()
await server.publish(10, "Headline 10, corrected")
outcome = await pull()
await chapter.show(outcome, from: server, on: screen)

try await outbox.addEverything()
chapter.show("\(outbox.currentCounts.waiting) to send")

// The server has made the article when its answer is lost. The second request has the same
// idempotency key.
chapter.section("The server gives the id, and its first answer is lost")
let client = NewsClient(url: url, stack: stack)
await server.loseNextAnswer()
outcome = await push()
await chapter.show(outcome, from: server, on: screen)

outcome = await push()
await chapter.show(outcome, from: server, on: screen)
try await check(28, "Opinion", number: 101)

// The request has the version that was edited, so the server refuses to overwrite the other edit.
chapter.section("The user and an editor change one headline")
try await edit(5) { $0.title = "Headline 5, mine" }
await server.publish(5, "Headline 5, theirs")
outcome = await push()
await chapter.show(outcome, from: server, on: screen)

let conflicts = try await outbox.conflicts()
for conflict in conflicts { try await outbox.resolve(conflict, .mergeMine) }
outcome = await push()
await chapter.show(outcome, from: server, on: screen)
try await check(5, "Headline 5, mine", number: 5)

chapter.section("They change different attributes, and the user sends without a pull")
try await edit(6) { $0.title = "Headline 6, mine" }
await server.publish(6, "Headline 6", number: 106)
outcome = await push()
await chapter.show(outcome, from: server, on: screen)

outcome = await push()
await chapter.show(outcome, from: server, on: screen)
try await check(6, "Headline 6, mine", number: 106)

// The table gets the server's article. The user's article waits in the outbox with another number.
chapter.section("A number is taken offline, and the server gives it to another article")
try await stack.withScratch { scratch in
  scratch.insert(
    Article(id: -2, localID: UUID(), number: 110, title: "Interview"))
}
await server.publish(29, "Headline 29", number: 110)
outcome = await pull()
await chapter.show(outcome, from: server, on: screen)

try await renumber(from: 111)
await server.publish(30, "Headline 30", number: 111)
outcome = await push()
await chapter.show(outcome, from: server, on: screen)

try await renumber(from: 112)
outcome = await push()
await chapter.show(outcome, from: server, on: screen)
outcome = await pull()
await chapter.show(outcome, from: server, on: screen)
try await check(31, "Interview", number: 112)

chapter.section("The server asks for a pause")
try await stack.withScratch {
  try await $0.delete(Article.where { $0.id == 2 })
}
await server.demandPause(seconds: 30)
outcome = await push()
await chapter.show(outcome, from: server, on: screen)

outcome = await push()
await chapter.show(outcome, from: server, on: screen)
try await check(2, nil, number: nil)

chapter.section("A feed whose server is always right")
news.options.conflicts = .mergeTheirs
try await edit(8) { $0.title = "Headline 8, mine" }
await server.publish(8, "Headline 8, theirs")
outcome = await pull()
outcome += ", \(outbox.currentCounts.waiting) to send"
await chapter.show(outcome, from: server, on: screen)
try await check(8, "Headline 8, theirs", number: 8)

let read = try await stack.fetch(Article.where { $0.isRead }).map(\.title)
chapter.note("read: \(read.joined())")

// The deletions have an author whose commits are never sent.
chapter.section("The user signs out with an edit that was not sent, and another user signs in")
try await edit(9) { $0.title = "Headline 9, mine" }
try await outbox.acknowledgeEverything()
try await stack.withScratch { scratch in
  scratch.author = Stack.evictionAuthor
  try await scratch.delete(Article.all)
}
try await stack.forgetAllImports()
let rest = try await stack.count(Article.all)
chapter.show("\(outbox.currentCounts.waiting) to send, \(rest) articles")

outcome = await pull()
await chapter.show(outcome, from: server, on: screen)
try await check(9, "Headline 9", number: 9)
guard read == ["Headline 3, corrected"] else {
  fail("the user has read \(read)")
}

let count = try await stack.count(Article.all)
chapter.end("\(count) articles on the screen, each as the server has it")
await stack.close()

// MARK: - Steps

/// Sends the waiting requests, and returns the outcome for the user.
@MainActor func push() async -> String {
  do {
    return
      "\(try await outbox.push { [client] request in try await client.send(request) })"
  } catch {
    return "not sent: \(error.localizedDescription)"
  }
}

/// Changes an article, as a form does.
@MainActor func edit(_ id: Article.ID, _ change: (inout Article) -> Void)
  async throws
{
  let view = stack.viewContext
  if let article = try await view.find(Article.self, id) {
    view.update(article, change)
  }
  try await view.save()
}

/// Gives refused articles other numbers.
@MainActor func renumber(from first: Int) async throws {
  var number = first
  for refusal in try await outbox.refusals() {
    chapter.note("refused: \(refusal.reason)")
    guard var article = refusal.request.value(as: Article.self) else {
      continue
    }
    article.number = number
    number += 1
    try await stack.withScratch { [article] scratch in
      scratch.upsert(article)
    }
  }
}

/// Fails unless the app has the server's articles, nothing waits, and the server has an article as it
/// should be.
@MainActor func check(
  _ id: Article.ID, _ headline: String?, number: Int?, line: Int = #line
) async throws {
  let rows = try await stack.fetch(Article.all.sorted(by: \.id)).map(
    Newsroom.Item.init)
  let articles = await server.articles
  let counts = outbox.currentCounts
  let article = articles.first { $0.id == id }
  if let (row, article) = zip(rows, articles).first(where: { $0 != $1 }) {
    fail("line \(line): the app has \(row), and the server has \(article)")
  }
  if rows.count != articles.count {
    fail("line \(line): the app has \(rows.count) articles")
  }
  if counts.waiting + counts.refused > 0 {
    fail("line \(line): waiting are \(counts)")
  }
  if article?.headline != headline || article?.number != number {
    fail(
      "line \(line): the server has \(article.map { "\($0)" } ?? "no article \(id)")"
    )
  }
}

func fail(_ reason: String) -> Never {
  print(reason)
  exit(1)
}
