// Pull to refresh: from the gesture to the rows on screen, whatever the server does.

import Foundation
import Strata
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let server = try NewsServer()
let url = try await server.start()
let stack = try await Stack.temporary(Article.self)

// 1. A feed is a URL whose records become rows. The refresh deletes rows that no page has.
var news = Feed(
  "news", Article.self, from: URLRequest(url: url), mapping: Article.json, absent: .delete)
news.paging = .linkHeader

let refresher = Refresher(
  stack, retries: RetryPolicy(limit: 3, firstDelay: .milliseconds(50), jitter: 0))

// 2. The list on screen follows a live query, whose updates say exactly which rows changed.
let screen = Screen(stack.viewContext.live(Article.all.sorted(by: \.id)))

@MainActor func pull(_ title: String) async {
  print("\n\(title)")
  do {
    switch try await refresher.refresh(news) {
    case .fresh: print("  young enough")
    case .notModified: print("  nothing new")
    case .imported(let result):
      print("  \(result.inserted) new, \(result.updated) changed, \(result.deleted) gone")
    }
  } catch {
    print("  \(error.message)")
  }
  print("  server  \(await server.takeLog().joined(separator: ", "))")
  await screen.settled()
}

// 3. The first pull: three pages, and the server is overloaded at first.
await server.fail(times: 2)
await pull("The first pull, from a server that is overloaded")

// 4. The user reads an article. The server changes one headline, adds one and withdraws one.
print("\nThe user opens the third one")
if let article = try await stack.viewContext.find(Article.self, 3) {
  stack.viewContext.update(article) { $0.isRead = true }
}
try await stack.viewContext.save()
await screen.settled()
await pull("Nothing has happened on the server")

await server.publish(3, "Headline 3, corrected")
await server.publish(7, nil)
await server.publish(26, "Headline 26")
await pull("One corrected, one withdrawn, one new")

// 5. Ten screens refresh at once, and the server is slow. It gets one request for each page. Before
//    rows that no page has are deleted, it gets a second request for each page, to see whether the
//    page is unchanged.
await server.publish(27, "Headline 27")
await server.slowDown(.milliseconds(20))
print("\nTen pulls at once, from a slow server")
try await withThrowingTaskGroup { group in
  for _ in 0..<10 { group.addTask { try await refresher.refresh(news) } }
  try await group.waitForAll()
}
print("  server  \(await server.takeLog().joined(separator: ", "))")
await screen.settled()

// 6. A copy that is young enough needs no request.
print("\nThe screen appears again")
print("  \(try await refresher.refresh(news, ifOlderThan: .seconds(60)))")

// 7. The server is down. The screen keeps its rows.
await server.fail(times: 100)
await pull("The server is down")

let read = try await stack.fetch(Article.where { $0.isRead }).map(\.title)
print("\n\(try await stack.count(Article.all)) articles on the screen, read: \(read.joined())")
await stack.close()
