// Lets two stacks of one store signal their commits to each other, through the code for Darwin.

import Darwin
import Dispatch
import Foundation

func check(_ condition: Bool, _ text: String) {
  guard condition else {
    print("failed: \(text)")
    exit(1)
  }
}

/// Waits until a condition holds, for a minute at most.
func wait(_ text: String, until condition: () -> Bool) {
  for _ in 0..<6000 where !condition() { usleep(10_000) }
  check(condition(), text)
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let store = folder.appendingPathComponent("store.sqlite").path
try Data().write(to: URL(fileURLWithPath: store))
let file = store + "-notify"
func exists() -> Bool { FileManager.default.fileExists(atPath: file) }

let heard = [Lock(0), Lock(0)]
func count(_ number: Int) -> Int { heard[number].withLock { $0 } }

guard let first = CommitSignal(store: store), let second = CommitSignal(store: store) else {
  fatalError("no signal could be made")
}
check(first.start { heard[0].withLock { $0 += 1 } }, "a watch")
check(second.start { heard[1].withLock { $0 += 1 } }, "another watch")

second.post()
wait("a commit of the second stack is heard") { count(0) > 0 && count(1) > 0 }

let (before, others) = (count(0), count(1))
unlink(file)
wait("the removed file is made again") { count(0) > before && count(1) > others && exists() }
let renewed = count(1)
first.post()
wait("a commit is heard through the new file") { count(1) > renewed }

first.stop()
wait("the second stack makes the file again") { exists() }
second.stop()
check(!exists(), "the last stack removes the file")
try FileManager.default.removeItem(at: folder)
print("passed")
