// Four workers, the view context and live queries work against each other for two seconds.
//
//   swift run Stress
//
// The program prints the lines above each `chapter.show`, and then the result.
//
// Money moves between accounts. Each move takes an amount from one account and gives it to another,
// in one save. So every commit, and every state that a context shows, has to add up.

import Chapter
import Foundation
import Strata

let chapter = Chapter()
let accounts = 100
let stack = try await Stack.temporary(Account.self)
let view = stack.viewContext
try await stack.withScratch { scratch in
  for id in 1...accounts { scratch.insert(Account(id: id, balance: 1_000)) }
}
let total = 1_000 * accounts

chapter.section("A list and a sum follow \(accounts) accounts")
let list = view.live(Account.sorted(by: \.balance, order: .reverse))
let sum = view.live(.sum(\.balance), of: Account.all)
try await list.waitUntilLoaded()
try await sum.waitUntilLoaded()
chapter.show("\(list.elements.count) accounts have \((sum.value ?? 0).grouped) together")

// The copy of a list applies the updates. It is in order all the time, and equals the list in the
// end.
var copy = Array(list.elements)
var seen = 0
var wrong = 0
let updates = list.updates
let reader = Task {
  for await update in updates {
    update.apply(to: &copy)
    seen += 1
    if copy.map(\.balance) != copy.map(\.balance).sorted(by: >) {
      wrong += 1
    }
  }
}

// The changes of one commit, or of several that arrive at once, add up to nothing.
let commits = stack.changes
let auditor = Task { @concurrent in
  var wrong = 0
  for await commit in commits {
    let changes = commit.changes(of: Account.self).updated
    let gained = changes.map { $0.after.balance - $0.before.balance }
    if gained.reduce(0, +) != 0 { wrong += 1 }
  }
  return wrong
}

// Meanwhile a user taps. An edit that conflicts with a worker's save is rolled back. After a save or
// a rollback nothing is unsaved, so the list and the sum show the state after one commit.
chapter.section("Workers and a user move money for two seconds, each move in one save")
let deadline = ContinuousClock.now + .seconds(2)
let workers = (1...4).map { seed in
  Task { @concurrent in
    try await Worker(stack, seed: UInt64(seed)).move(until: deadline)
  }
}
var taps = Tally()
while ContinuousClock.now < deadline {
  let (from, to) = (
    list.elements[0], list.elements[list.elements.count - 1]
  )
  view.update(from) { $0.add(-5) }
  view.update(to) { $0.add(5) }
  do {
    try await view.save()
    taps.moves += 1
  } catch StoreError.Code.conflict {
    view.rollback()
    taps.conflicts += 1
  }
  if list.elements.reduce(0, { $0 + $1.balance }) != total
    || sum.value != total
  {
    wrong += 1
  }
}
var work = Tally()
for worker in workers { work += try await worker.value }
chapter.show("the workers: \(work.moves.grouped) moves, \(work.conflicts.grouped) conflicts")
chapter.show("the user: \(taps.moves.grouped) moves, \(taps.conflicts.grouped) conflicts")
chapter.note(
  """
  A conflict is a save of an account that another save has changed since it was read. Such a \
  save writes nothing, and its edits begin again with the newest rows. Many conflicts are right: \
  the user always takes the richest and the poorest account, and four workers share the rest.
  """)

chapter.section("The copy of the list follows, update by update")
try await view.waitUntilMerged(try await stack.makeScratch().save())
let patience = ContinuousClock.now + .seconds(10)
while copy.map(\.move) != list.elements.map(\.move),
  ContinuousClock.now < patience
{
  await Task.yield()
}
let isCopied = copy.map(\.move) == list.elements.map(\.move)
chapter.show("\(seen.grouped) updates of the list; the copy equals the list: \(isCopied)")
chapter.note("An update covers all commits since the update before, so there are fewer of them.")
reader.cancel()
await reader.value

chapter.section("All sums are the first sum")
let shown = sum.value ?? 0
let stored = try await stack.fetch(.sum(\.balance), of: Account.all)
let isEqual =
  try await view.fetch(list.query).map(\.move) == list.elements.map(\.move)
chapter.show("\(shown.grouped) in memory, \(stored.grouped) in the store")
chapter.show("the list equals a fetch: \(isEqual)")
await stack.close()
wrong += await auditor.value
for isRight in [shown == total, stored == total, isEqual, isCopied]
where !isRight { wrong += 1 }
chapter.end("\(wrong) sums and lists were wrong")
