// Pull to refresh: from the gesture to the rows on screen, whatever the server does.
//
//   swift run --package-path Playgrounds/PullToRefresh
//
// The program prints the lines above each `chapter.show`, and then the result.

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
      return "\(result.inserted) new, \(result.updated) changed, \(result.deleted) gone"
    }
  } catch {
    return error.localizedDescription
  }
}

// The refresh deletes rows that no page has.
chapter.section("A feed is a URL whose records become rows")
var news = Feed(
  "news", Article.self, from: URLRequest(url: url), mapping: Article.json, absent: .delete)
news.paging = .linkHeader
let refresher = Refresher(
  stack, retries: RetryPolicy(limit: 3, firstDelay: .milliseconds(50), jitter: 0))
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

let read = try await stack.fetch(Article.where { $0.isRead }).map(\.title)
chapter.end("\(try await stack.count(Article.all)) articles on the screen, read: \(read.joined())")
await stack.close()
