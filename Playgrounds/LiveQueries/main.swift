// Lists, sections and numbers that stay up to date by themselves.
//
//   swift run LiveQueries

import Foundation
import Observation
import Strata

let stack = try await Stack.temporary(ToDo.self)
let view = stack.viewContext
try await stack.withScratch { scratch in
  for (title, list) in [
    ("Milk", "shop"), ("Bread", "shop"), ("Paint", "home"), ("Call Ada", "home"),
  ] {
    scratch.insert(ToDo(title: title, list: list))
  }
}

// A live query follows all changes by itself, and fetches nothing again. It lives as long as it is
// held.
print("1. A live query has its elements in memory")
let open = view.live(ToDo.where { !$0.isDone }.sorted(by: \.title))
try await open.waitUntilLoaded()
print("   \(open.elements.map(\.title))")

// A list shows `elements` once and then applies every update. Deletions and the origins of moves
// are offsets in the old list. Insertions and the destinations of moves are offsets in the new
// list. Edits come last.
print("\n2. An update is the difference from what this reader saw last")
var list = Array(open.elements)
var edits: [@MainActor () async throws -> Void] = [
  { view.update(list[1]) { $0.title = "Rye bread" } },
  {
    try await stack.withScratch { scratch in
      for todo in try await scratch.fetch(ToDo.where { $0.list == "home" }) {
        scratch.update(todo) { $0.isDone = true }
      }
    }
  },
]
let updates = open.updates
view.insert(ToDo(title: "Apples", list: "shop"))
for await update in updates {
  update.apply(to: &list)
  print("   \(update)")
  print("   \(list.map(\.title))")
  guard !edits.isEmpty else { break }
  try await edits.removeFirst()()
}

// Observation works without a stream. Code that reads `elements` is notified when they change, like
// a SwiftUI view.
print("\n3. Observation")
let (changes, change) = AsyncStream.makeStream(of: Void.self)
withObservationTracking {
  _ = open.elements.count
} onChange: {
  change.yield()
}
view.delete(list[0])
for await _ in changes { break }
print("   elements changed: \(open.elements.map(\.title))")

print("\n4. Sections, by an attribute")
let byList = view.live(ToDo.sorted(by: \.title), sectionedBy: \.list)
try await byList.waitUntilLoaded()
for section in byList.sections { print("   \(section.name): \(section.elements.map(\.title))") }

// A window has all elements up to its end, and reads more rows when it runs short.
print("\n5. The first two")
let first = view.live(ToDo.sorted(by: \.title).limit(2))
try await first.waitUntilLoaded()
print("   \(first.elements.map(\.title))")
view.insert(ToDo(title: "Bananas", list: "shop"))
print("   \(first.elements.map(\.title))")

print("\n6. Numbers")
let remaining = view.live(.count, of: ToDo.where { !$0.isDone })
let perList = view.live(.count, of: ToDo.all.grouped(by: \.list))
try await remaining.waitUntilLoaded()
try await perList.waitUntilLoaded()
print("   \(remaining.value ?? 0) remain; \(perList.value?["shop"] ?? 0) to buy")

// A live query wakes only for changes that it shows.
print("\n7. What is not shown wakes nobody")
let titles = view.live(ToDo.where { !$0.isDone }.sorted(by: \.title), reading: [\.title])
try await titles.waitUntilLoaded()
let before = titles.statistics.wakes
try await view.save()
for _ in 0..<100 {
  try await stack.withScratch { scratch in
    for todo in try await scratch.fetch(ToDo.all) { scratch.update(todo) { $0.views += 1 } }
  }
}
print("   100 commits, \(titles.statistics.wakes - before) wakes\n")

try await remaining.waitUntilLoaded()
print("\(open.elements.count) of \(try await view.count(ToDo.all)) are open")
await stack.close()
