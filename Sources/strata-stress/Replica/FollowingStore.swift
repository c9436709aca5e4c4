#if Postgres
  import Foundation
  import LocalPostgres
  import Strata
  import StrataPostgres
  import StrataReplica

  /// A store that follows a server, and what its consumers see.
  @MainActor
  final class FollowingStore {
    let url: URL
    private(set) var stack: Stack
    private(set) var replica: Replica
    private let target: String
    private var observing: Task<Void, Never>?
    /// The commits after which the sum of the money was looked at.
    private(set) var checks = 0
    private(set) var pulls = 0
    private(set) var pushes = 0
    private(set) var violations: [String] = []
    /// The edits that the store has acknowledged.
    private(set) var deeds: Set<UUID> = []
    private(set) var offers: [UUID: Int] = [:]
    private let name: String
    private let number: Int

    /// An edit that the store has acknowledged.
    enum Acknowledged {
      case deed(UUID)
      case offer(UUID, Int)

      var line: String {
        switch self {
        case .deed(let id): "deed \(id)"
        case .offer(let id, let amount): "offer \(id) \(amount)"
        }
      }

      init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count > 1, let id = UUID(uuidString: String(words[1])) else { return nil }
        switch (words[0], words.count) {
        case ("deed", 2): self = .deed(id)
        case ("offer", 3): self = .offer(id, Int(words[2]) ?? 0)
        default: return nil
        }
      }
    }

    static let entities: [any Entity.Type] = [
      Purse.self, Pouch.self, Sheet.self, Leaf.self, Tally.self, Deed.self, Offer.self,
      Nickname.self,
    ]

    init(_ target: String, number: Int, at url: URL? = nil) async throws {
      self.target = target
      self.number = number
      name = "replica \(number)"
      self.url =
        url
        ?? FileManager.default.temporaryDirectory.appendingPathComponent(
          "strata-replica-\(number)-\(UUID().uuidString).sqlite")
      stack = try await Stack.open(Self.entities, at: self.url)
      replica = try await Self.follow(stack, target, number)
      observe()
    }

    /// Every third store has only the sheets with a great length, and their leaves.
    private static func follow(
      _ stack: Stack, _ target: String, _ number: Int
    ) async throws -> Replica {
      let server = ReplicaServer.postgres(target, patience: .seconds(1))
      if number % 3 < 2 { return try await Replica.open(stack, from: server) }
      return try await Replica.open(
        stack, from: server,
        of: [
          .matching(Leaf.all, following: \.sheet),
          .matching(Sheet.where { $0.length >= leastLength }), .all(Purse.self), .all(Pouch.self),
          .all(Tally.self), .all(Deed.self), .all(Offer.self), .all(Nickname.self),
        ])
    }

    private static let leastLength = 100

    /// Returns those of the server's rows that the store should have, as lines.
    func kept(_ lines: [String]) -> [String] {
      if number % 3 < 2 { return lines }
      var (kept, sheets): ([String], Set<Substring>) = ([], [])
      // The lines of sheets come before those of leaves and links.
      for line in lines {
        let words = line.split(separator: " ")
        switch words[0] {
        case "d":
          guard let length = words.dropLast().last.flatMap({ Int($0) }), length >= Self.leastLength
          else { continue }
          sheets.insert(words[1])
        case "f", "k": if !sheets.contains(words[2]) { continue }
        default: break
        }
        kept.append(line)
      }
      return kept
    }

    private func observe() {
      let (stack, replica, changes) = (stack, replica, stack.changes)
      observing = Task { [weak self] in
        for await _ in changes { await self?.check(stack, replica) }
      }
    }

    /// Looks at the sums, which are right in every state that the server had, also with edits on top.
    private func check(_ stack: Stack, _ replica: Replica) async {
      let before = await replica.copies
      guard await replica.isLive else { return }
      let rows = try? await stack.read(
        """
        SELECT (SELECT sum(balance) FROM purses) + (SELECT sum(amount) FROM pouches) AS money,
          (SELECT sum(count) FROM tallies) - (SELECT count(*) FROM deeds) AS extra
        """)
      // A copy may have begun after the sum was read.
      let isSame = await replica.copies == before
      let isLive = await replica.isLive
      guard isSame, isLive, let row = rows?.first, let money = try? row["money"],
        let extra = try? row["extra"]
      else { return }
      checks += 1
      if money != .integer(Int64(PostgresWriter.money)) || extra != .integer(0) {
        violations.append(
          "money \(money), extra \(extra) at commit \(stack.viewContext.commit)")
      }
    }

    // MARK: - Edits

    /// Makes one edit at random, and notes it if it was saved.
    ///
    /// - Parameter repairs: whether offers may change that were acknowledged before.
    @discardableResult
    func edit(
      _ random: inout SplitMix64, repairing repairs: Bool = true
    ) async throws -> Acknowledged? {
      let edit = try await makeEdit(&random, repairing: repairs)
      if let edit { note(edit) }
      return edit
    }

    private func note(_ edit: Acknowledged) {
      switch edit {
      case .deed(let id): deeds.insert(id)
      case .offer(let id, let amount): offers[id] = amount
      }
    }

    /// Takes the server's edits for the acknowledged ones: the server lost the rest, or the app gave
    /// it up.
    ///
    /// - Parameter rows: the server's rows, as ``ReplicaStress`` reads them.
    func forgetAllBut(_ rows: [String]) {
      deeds.formIntersection(
        rows.filter { $0.hasPrefix("e ") }.compactMap { UUID(uuidString: String($0.dropFirst(2))) })
      let known = rows.compactMap { Acknowledged("offer " + $0.dropFirst(2)) }
      var kept: [UUID: Int] = [:]
      for case .offer(let id, let amount) in known where offers[id] != nil { kept[id] = amount }
      offers = kept
    }

    private func makeEdit(
      _ random: inout SplitMix64, repairing repairs: Bool
    ) async throws -> Acknowledged? {
      let stack = stack
      switch random.below(repairs ? 8 : 7) {
      case 0, 1:
        let (tally, deed) = (random.below(5), Deed(doer: name))
        let note: String? = random.oneIn(3) ? "\(name) \(random.below(1000))" : nil
        let isDone = try await stack.withScratch(.mergeMine) { context in
          guard let row = try await context.find(Tally.self, tally) else { return false }
          context.update(row) { row in
            row.count += 1
            if let note { row.note = note }
          }
          context.insert(deed)
          return true
        }
        return isDone ? .deed(deed.id) : nil
      case 2:
        let offer = Offer(amount: Offer.amount(&random))
        try await stack.withScratch { $0.insert(offer) }
        return .offer(offer.id, offer.amount)
      case 3, 4:
        try await nickname(&random)
        return nil
      case 5:
        try await leaf(&random)
        return nil
      case 6:
        try await link(&random)
        return nil
      default:
        // Repairs a refused offer, or edits one that the server has or is about to get.
        guard let id = offers.keys.sorted().randomElement(using: &random) else { return nil }
        let amount = Offer.amount(&random)
        let isDone = try await stack.withScratch(.mergeMine) { context in
          guard let row = try await context.find(Offer.self, id) else { return false }
          context.update(row) { $0.amount = amount }
          return true
        }
        return isDone ? .offer(id, amount) : nil
      }
    }

    /// Inserts, changes, moves or deletes a leaf.
    private func leaf(_ random: inout SplitMix64) async throws {
      let (choice, place, text) = (random.below(5), random.below(40), "\(name) \(random.below(99))")
      try await stack.withScratch(.mergeMine) { context in
        let sheets = try await context.fetch(Sheet.sorted(by: \.id).offset(place).limit(2))
        let leaf = try await context.fetch(Leaf.sorted(by: \.id).offset(place).limit(1)).first
        switch (choice, leaf) {
        case (0, let leaf?): context.delete(leaf)
        case (1, let leaf?): context.update(leaf) { $0.text = text }
        case (2, let leaf?): context.update(leaf) { $0.sheet = sheets.last?.id }
        default: context.insert(Leaf(sheet: sheets.first?.id, text: text))
        }
      }
    }

    /// Links a sheet to a purse, removes such a link, or deletes a sheet with its links.
    private func link(_ random: inout SplitMix64) async throws {
      let (choice, purse, place) = (random.below(8), 1 + random.below(20), random.below(40))
      try await stack.withScratch(.mergeMine) { context in
        let linked = try await context.fetch(Purse.sheets(of: purse))
        let sheets = try await context.fetch(Sheet.sorted(by: \.id).offset(place).limit(1))
        switch choice {
        case 0: if let sheet = linked.first { context.delete(sheet) }
        case 1, 2:
          if let sheet = linked.last { context.unlink(purse, from: sheet.id, in: Purse.sheets) }
        default: if let sheet = sheets.first { context.link(purse, to: sheet.id, in: Purse.sheets) }
        }
      }
    }

    /// Inserts, renames or deletes a nickname. The name may be taken by another host meanwhile.
    private func nickname(_ random: inout SplitMix64) async throws {
      let name = "label \(random.below(12))"
      let choice = random.below(4)
      do {
        try await stack.withScratch(.mergeMine) { context in
          let old = try await context.fetch(Nickname.sorted(by: \.name)).first
          switch (choice, old) {
          case (0, let old?): context.delete(old)
          case (1, let old?): context.update(old) { $0.name = name }
          default: context.insert(Nickname(name: name))
          }
        }
      } catch let error as StoreError where error.code == .uniquenessViolated {}
    }

    /// Closes the store, lets others do something, and opens it again.
    func relaunch(_ meanwhile: () async throws -> Void = {}) async throws {
      await close()
      try await meanwhile()
      stack = try await Stack.open(Self.entities, at: url)
      replica = try await Self.follow(stack, target, number)
      observe()
    }

    func close() async {
      pulls += await replica.pulls
      pushes += await replica.pushes
      await replica.close()
      await stack.close()
      await observing?.value
    }

    /// Lets another process have the store, and kills it after some time.
    func kill(after duration: Duration, seed: UInt64) async throws {
      try await relaunch {
        let process = try StartedProcess([
          "replica-child", target, url.path, "\(number)", "\(seed)",
        ])
        guard await process.output.next() == "ready" else {
          throw PostgresCluster.Failure(description: "the process of \(name) does not start")
        }
        try await Task.sleep(for: duration)
        process.kill()
        while let line = await process.output.next() {
          if let edit = Acknowledged(line) { note(edit) }
        }
      }
    }

    /// Edits the store for ever, as the process that ``kill(after:seed:)`` starts.
    static func runChild(_ arguments: [String]) async throws {
      guard arguments.count == 4, let number = Int(arguments[2]), let seed = UInt64(arguments[3])
      else { fail("not by hand") }
      let url = URL(fileURLWithPath: arguments[1])
      let store = try await FollowingStore(arguments[0], number: number, at: url)
      var random = SplitMix64(seed: seed)
      print("ready")
      fflush(nil)
      while true {
        if let edit = try await store.edit(&random, repairing: false) {
          print(edit.line)
          fflush(nil)
        }
        try await Task.sleep(for: .milliseconds(random.below(20)))
      }
    }

    func remove() {
      StoreFiles.remove(url)
    }

    /// The rows of all tables as lines, in the form of ``ReplicaStress/rows``.
    func lines() async throws -> [String] {
      var lines = try await stack.fetch(Purse.all).map { "a \($0.id) \($0.balance)" }
      lines += try await stack.fetch(Pouch.all).map { "p \($0.id) \($0.amount)" }
      lines += try await stack.fetch(Tally.all).map { "t \($0.id) \($0.count) \($0.note)" }
      lines += try await stack.fetch(Nickname.all).map {
        "l \($0.id.uuidString.lowercased()) \($0.name)"
      }
      lines += try await stack.fetch(Deed.all).map { "e \($0.id.uuidString.lowercased())" }
      lines += try await stack.fetch(Offer.where { $0.amount >= 0 && $0.amount <= Int(Int32.max) })
        .map {
          "o \($0.id.uuidString.lowercased()) \($0.amount)"
        }
      lines += try await stack.fetch(Sheet.all).map { doc in
        let microseconds = Int((doc.at.timeIntervalSince1970 * 1_000_000).rounded())
        let length = doc.length.map { "\($0)" } ?? "-"
        return "d \(doc.id.uuidString.lowercased()) \(doc.title) \(length) \(microseconds)"
      }
      lines += try await stack.fetch(Leaf.all).map { leaf in
        let sheet = leaf.sheet.map { $0.uuidString.lowercased() } ?? "-"
        return "f \(leaf.id.uuidString.lowercased()) \(sheet) \(leaf.text)"
      }
      for purse in try await stack.fetch(Purse.all) {
        lines += try await stack.fetch(Purse.sheets(of: purse)).map {
          "k \(purse.id) \($0.id.uuidString.lowercased())"
        }
      }
      return lines.sorted()
    }
  }
#endif
