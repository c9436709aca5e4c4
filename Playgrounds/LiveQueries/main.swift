// Lists, sections and numbers that stay up to date by themselves.
//
//   swift run LiveQueries
//
// The program prints the lines above each `chapter.show`, and then the result.

import Chapter
import Foundation
import Observation
import Strata

let chapter = Chapter()
let stack = try await Stack.temporary(ToDo.self)
let view = stack.viewContext
try await stack.withScratch { scratch in
  for (title, list) in [
    ("Milk", "shop"), ("Bread", "shop"), ("Paint", "home"),
    ("Call Ada", "home"),
  ] {
    scratch.insert(ToDo(title: title, list: list))
  }
}

// A live query follows all changes by itself, and fetches nothing again. It lives as long as it is
// held.
chapter.section("A live query has its elements in memory")
let open = view.live(ToDo.where { !$0.isDone }.sorted(by: \.title))
try await open.waitUntilLoaded()
chapter.show("\(open.elements.map(\.title))")

// A list shows `elements` once and then applies every update. Deletions and the origins of moves
// are offsets in the old list. Insertions and the destinations of moves are offsets in the new
// list. Edits come last.
chapter.section("An update is the difference from what this reader saw last")
let rows = Rows(open)
view.insert(ToDo(title: "Apples", list: "shop"))
chapter.show("\(await rows.next()): \(rows.shown.map(\.title))")
view.update(rows.shown[1]) { $0.title = "Rye bread" }
chapter.show("\(await rows.next()): \(rows.shown.map(\.title))")
try await stack.withScratch { scratch in
  for todo in try await scratch.fetch(ToDo.where { $0.list == "home" }) {
    scratch.update(todo) { $0.isDone = true }
  }
}
chapter.show("\(await rows.next()): \(rows.shown.map(\.title))")

// Observation works without a stream. Code that reads `elements` is notified when they change, like
// a SwiftUI view.
chapter.section("Observation")
let (changes, change) = AsyncStream.makeStream(of: Void.self)
withObservationTracking {
  _ = open.elements.count
} onChange: {
  change.yield()
}
view.delete(rows.shown[0])
for await _ in changes { break }
chapter.show("elements changed: \(open.elements.map(\.title))")

chapter.section("Sections, by an attribute")
let byList = view.live(ToDo.sorted(by: \.title), sectionedBy: \.list)
try await byList.waitUntilLoaded()
for section in byList.sections {
  chapter.show("\(section.name): \(section.elements.map(\.title))")
}

// A window has all elements up to its end, and reads more rows when it runs short.
chapter.section("The first two")
let first = view.live(ToDo.sorted(by: \.title).limit(2))
try await first.waitUntilLoaded()
chapter.show("\(first.elements.map(\.title))")
view.insert(ToDo(title: "Bananas", list: "shop"))
chapter.show("\(first.elements.map(\.title))")

chapter.section("Numbers")
let remaining = view.live(.count, of: ToDo.where { !$0.isDone })
let perList = view.live(.count, of: ToDo.all.grouped(by: \.list))
try await remaining.waitUntilLoaded()
try await perList.waitUntilLoaded()
chapter.show("\(remaining.value ?? 0) remain; \(perList.value?["shop"] ?? 0) to buy")

// A live query wakes only for changes that it shows.
chapter.section("A change that a live query does not show wakes no reader")
try await view.save()
let titles = view.live(
  ToDo.where { !$0.isDone }.sorted(by: \.title), reading: [\.title])
try await titles.waitUntilLoaded()
let before = titles.statistics.wakes
for _ in 0..<100 {
  try await stack.withScratch { scratch in
    for todo in try await scratch.fetch(ToDo.all) {
      scratch.update(todo) { $0.views += 1 }
    }
  }
}
chapter.show("100 commits, \(titles.statistics.wakes - before) wakes")

try await remaining.waitUntilLoaded()
chapter.end("\(open.elements.count) of \(try await view.count(ToDo.all)) are open")
await stack.close()
