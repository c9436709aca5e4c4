import Foundation
import Strata

/// A guest of the first version of ``OpeningStress``'s schema.
struct Guest: Entity, Equatable {
  var id = 0
  var name = ""

  static let schema = Schema<Guest>("guests", key: \.id) { Attribute(\.name) }
}

/// A guest of the second version.
struct NextGuest: Entity, Equatable {
  var id = 0
  var name = ""
  var visits = 0

  static let schema = Schema<NextGuest>("guests", key: \.id) {
    Attribute(\.name)
    Attribute(\.visits).indexed()
  }
}

/// A process of ``OpeningStress``.
///
/// Each line of its input is a command: the version of the schema, the key of the guest to insert,
/// the path of the store, and whether the stack is kept open until the next command. The answer is
/// `done`, or the code of the error and the step that threw it.
@MainActor
struct OpeningChild {
  static func run() async throws {
    let input = LineReader(.standardInput) { exit(3) }
    var kept: Stack?
    say("ready")
    while let line = await input.next() {
      await kept?.close()
      kept = nil
      let words = line.split(separator: " ", maxSplits: 3)
      guard words.count == 4, let version = Int(words[0]), let id = Int(words[1]) else {
        continue
      }
      var step = "open"
      do {
        let stack = try await open(String(words[3]), version: version)
        (step, kept) = ("save", stack)
        try await insert(id, version: version, into: stack)
        if words[2] != "keep" { await stack.close() }
        say("done")
      } catch {
        await kept?.close()
        say("\((error as? StoreError)?.code.description ?? "other") \(step) \(error)")
      }
    }
    exit(3)
  }

  static func open(_ path: String, version: Int) async throws -> Stack {
    var options = Stack.Options()
    options.schemaVersion = version
    options.hasViewContext = false
    options.busyTimeout = .seconds(60)
    let url = URL(fileURLWithPath: path)
    return version == 1
      ? try await Stack.open(Guest.self, at: url, options: options)
      : try await Stack.open(NextGuest.self, at: url, options: options)
  }

  private static func insert(_ id: Int, version: Int, into stack: Stack) async throws {
    try await stack.withScratch { scratch in
      if version == 1 {
        scratch.insert(Guest(id: id, name: "guest \(id)"))
      } else {
        scratch.insert(NextGuest(id: id, name: "guest \(id)"))
      }
    }
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
