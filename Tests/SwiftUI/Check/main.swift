// Drives the property wrappers with a real store and a host that evaluates one view as SwiftUI
// does.

import Adapter
import Foundation
import Strata
import SwiftUI

func check(_ condition: Bool, _ what: String) {
  guard condition else {
    print("failed: \(what)")
    exit(1)
  }
}

/// Lets other tasks run until a condition holds, for a minute at most.
@MainActor func soon(_ what: String, _ condition: () -> Bool) async {
  let end = ContinuousClock.now + .seconds(60)
  while !condition() && ContinuousClock.now < end { await Task.yield() }
  check(condition(), what)
}

let stack = try await Stack.temporary(Song.self, Singer.self, Recording.self)
try await stack.withScratch { scratch in
  for (id, title) in ["So What", "Freddie", "Blue in Green", "All Blues"].enumerated() {
    scratch.insert(Song(id: id, title: title, genre: id % 2 == 0 ? "modal" : "blues"))
  }
}

// The view's first read makes the live query. The view is evaluated again when the query is loaded.
let host = Host()
host.show(SongList(genre: "modal").strataStack(stack))
check(host.words == ["0 songs", "([Save])", "([Undo])"], "empty until loaded: \(host.words)")
await soon("loaded: \(host.words)") { host.words.first == "2 songs" }
check(host.words.contains("So What") && !host.words.contains("Freddie"), "the query's entities")

// The next evaluation shows edits, also in the toolbar.
let evaluations = host.evaluations
stack.viewContext.insert(Song(id: 9, title: "Nardis", genre: "modal"))
await soon("an edit") { host.words.contains("Nardis") }
check(Array(host.words.suffix(2)) == ["[Save]", "[Undo]"], "the toolbar: \(host.words)")
try await stack.viewContext.save()
await soon("a save") { host.words.contains("([Save])") }

// A change of a row that the view does not show causes no evaluation.
let before = host.evaluations
try await stack.withScratch { $0.insert(Song(id: 10, title: "Footprints", genre: "blues")) }
for _ in 0..<100 { await Task.yield() }
check(host.evaluations == before && before > evaluations, "nobody is woken needlessly")

// The parent makes the view again. An equal query changes nothing, and another query changes the
// elements.
host.show(SongList(genre: "modal").strataStack(stack))
check(host.words.first == "3 songs", "the live query outlives the view's value")
host.show(SongList(genre: "blues").strataStack(stack))
check(host.words.first == "3 songs", "the old elements stay until the new ones are there")
await soon("another query") { host.words.contains("Freddie") && !host.words.contains("Nardis") }

// A search field changes the query in place. The parent's next evaluation does not undo that.
let search = Host()
let field = Search.Field()
search.show(Search(field: field).strataStack(stack))
await soon("everything") { search.words.count == 6 }
field.songs?.query = Song.where { $0.title.contains("Blue") }
await soon("a search: \(search.words)") { search.words == ["Blue in Green", "All Blues"] }
search.show(Search(field: field).strataStack(stack))
for _ in 0..<100 { await Task.yield() }
check(search.words.count == 2, "a search that stays")

// Tests sections.
let sections = Host()
sections.show(Genres().strataStack(stack))
await soon("sections: \(sections.words)") { sections.words.first == "# blues" }
check(sections.words.count == 8, "sections: \(sections.words)")

// Tests a number. A change that leaves the number as it is causes no evaluation. Then the query
// changes.
let badge = Host()
badge.show(Badge(genre: "modal").strataStack(stack))
check(badge.words.first == "no number", "no number until loaded: \(badge.words)")
await soon("a number: \(badge.words)") { badge.words == ["3 in all", "3 modal"] }
let counted = badge.evaluations
try await stack.withScratch {
  $0.update(Song(id: 9, title: "Nardis", genre: "modal")) { $0.title = "N" }
}
for _ in 0..<100 { await Task.yield() }
check(badge.evaluations == counted, "a number that stays tells nobody")
stack.viewContext.insert(Song(id: 20, title: "Solea", genre: "modal"))
await soon("an edit counts") { badge.words == ["4 in all", "4 modal"] }
badge.show(Badge(genre: "blues").strataStack(stack))
check(badge.words.first == "4 in all", "the old number stays until the new one is there")
await soon("another number: \(badge.words)") { badge.words == ["3 in all", "4 modal"] }
stack.viewContext.rollback()
await soon("without the edit: \(badge.words)") { badge.words == ["3 in all", "3 modal"] }

// Tests a live tree. An edit shows in it at once, and another query leaves the old elements until it is loaded.
try await stack.withScratch { scratch in
  for id in 1...3 { scratch.insert(Singer(id: id, name: "\(id)")) }
  for id in 1...3 { scratch.insert(Recording(id: id, singerID: id == 1 ? 1 : 2)) }
}
let tree = Host()
tree.show(Singers(before: 3).strataStack(stack))
await soon("a tree: \(tree.words)") { tree.words.suffix(2) == ["1: 1 of 1", "2: 2 of 2"] }
stack.viewContext.update(Recording(id: 1, singerID: 1)) { $0.singerID = 2 }
await soon("a move: \(tree.words)") { tree.words.suffix(2) == ["1: 0 of 0", "2: 3 of 3"] }
tree.show(Singers(before: 2).strataStack(stack))
check(tree.words.last == "2: 3 of 3", "the old tree stays until the new one is there")
await soon("another tree: \(tree.words)") { tree.words.last == "1: 0 of 0" }
stack.viewContext.rollback()

// The environment gets another stack, as after a sign-out.
let other = try await Stack.temporary(Song.self)
host.show(SongList(genre: "blues").strataStack(other))
await soon("another stack") { host.words.first == "0 songs" }
await stack.close()
await other.close()
print("The views show what they should")
