// Four workers, the view context and live queries work against each other for two seconds.
//
//   swift run Stress
//
// Money moves between accounts. Each move takes an amount from one account and gives it to another,
// in one save. So every commit, and every state that a context shows, has to add up.

import Foundation
import Strata

let accounts = 100
let stack = try await Stack.temporary(Account.self)
let view = stack.viewContext
try await stack.withScratch { scratch in
  for id in 1...accounts { scratch.insert(Account(id: id, balance: 1_000)) }
}
let total = 1_000 * accounts
let list = view.live(Account.sorted(by: \.balance, order: .reverse))
let sum = view.live(.sum(\.balance), of: Account.all)
try await list.waitUntilLoaded()
try await sum.waitUntilLoaded()

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
    if copy.map(\.balance) != copy.map(\.balance).sorted(by: >) { wrong += 1 }
  }
}

// The changes of one commit, or of several that arrive at once, add up to nothing.
let commits = stack.changes
let auditor = Task { @concurrent in
  var wrong = 0
  for await commit in commits {
    let changes = commit.changes(of: Account.self).updated
    if changes.reduce(0, { $0 + $1.after.balance - $1.before.balance }) != 0 { wrong += 1 }
  }
  return wrong
}

let deadline = ContinuousClock.now + .seconds(2)
let workers = (1...4).map { seed in
  Task { @concurrent in try await Worker(stack, seed: UInt64(seed)).move(until: deadline) }
}

// Meanwhile a user taps. An edit that conflicts with a worker's save is rolled back.
var taps = Tally()
while ContinuousClock.now < deadline {
  let (from, to) = (list.elements[0], list.elements[list.elements.count - 1])
  view.update(from) { $0.add(-5) }
  view.update(to) { $0.add(5) }
  do {
    try await view.save()
    taps.moves += 1
  } catch StoreError.Code.conflict {
    view.rollback()
    taps.conflicts += 1
  }
  // Nothing is unsaved here, so the list and the sum show the state after one commit.
  if list.elements.reduce(0, { $0 + $1.balance }) != total || sum.value != total { wrong += 1 }
}

var work = Tally()
for worker in workers { work += try await worker.value }
try await view.waitUntilMerged(try await stack.makeScratch().save())
let patience = ContinuousClock.now + .seconds(10)
while copy.map(\.move) != list.elements.map(\.move), ContinuousClock.now < patience {
  await Task.yield()
}
reader.cancel()
await reader.value
let isCopied = copy.map(\.move) == list.elements.map(\.move)
let shown = sum.value ?? 0
let stored = try await stack.fetch(.sum(\.balance), of: Account.all)
let isEqual = try await view.fetch(list.query).map(\.move) == list.elements.map(\.move)
await stack.close()
wrong += await auditor.value

print("workers: \(work.moves) moves, \(work.conflicts) conflicts")
print("the view: \(taps.moves) moves, \(taps.conflicts) conflicts, \(seen) updates of the list")
for isRight in [shown == total, stored == total, isEqual, isCopied] where !isRight { wrong += 1 }
print("in memory: \(shown), in the store: \(stored); the list is the fetch: \(isEqual)")
print("\n\(wrong) sums and lists were wrong")
