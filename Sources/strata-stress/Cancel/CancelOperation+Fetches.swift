import Foundation
import Strata

extension CancelOperation {
  static let fetches: [CancelOperation] = [
    CancelOperation("fetch several values") { site in
      let rows = try await site.stack.fetch(Account.all, \.id, \.owner)
      try CancelSurprise.unless(rows.count == FaultTemplate.accounts, "\(rows.count) rows")
      let (sum, most) = try await site.stack.fetch(
        .sum(\.balance), .max(\.balance), of: Account.all)
      try CancelSurprise.unless(sum == FaultTemplate.accounts * 1000, "\(sum) in all")
      try CancelSurprise.unless(most == 1000, "\(most ?? 0) at most")
      let owners = try await site.stack.fetch(.count, of: Account.all.grouped(by: \.owner))
      try CancelSurprise.unless(owners.count == 7, "\(owners.count) owners")
    },
    CancelOperation("fetch related") { site in
      try await Place.withStore(site) { stack in
        let place = Place(id: 3)
        let pairs = try await stack.fetch(Place.all, with: Place.tags, Place.photos)
        try CancelSurprise.unless(
          pairs.count == Place.count && pairs.allSatisfy { $0.1.count == 5 && $0.2.count >= 2 },
          "\(pairs.count) places")
        let photos = try await stack.fetch(Place.photos(of: place))
        try CancelSurprise.unless(photos.count >= 2, "\(photos.count) photos")
        let its = try await stack.fetch(Photo.place, of: photos[0])
        try CancelSurprise.unless(its?.id == 3, "a photo of another place")
      }
    },
    CancelOperation("raw SQL of all kinds") { site in
      let owner = "Owner 1"
      let rows = try await site.stack.read("SELECT id, owner FROM accounts WHERE owner = \(owner)")
      try CancelSurprise.unless(rows.count == 3, "\(rows.count) rows")
      let accounts = try await site.stack.read("SELECT * FROM accounts", as: Account.self)
      try CancelSurprise.unless(
        accounts.count == FaultTemplate.accounts, "\(accounts.count) accounts")
      let pairs = try await site.stack.read(
        "SELECT id, owner FROM accounts", as: Int.self, String.self)
      try CancelSurprise.unless(pairs.count == FaultTemplate.accounts, "\(pairs.count) pairs")
    },
    CancelOperation("fetches of the view context") { @MainActor site in
      let view = site.stack.viewContext
      let ids = try await view.fetchKeys(Account.all)
      try CancelSurprise.unless(ids.count == FaultTemplate.accounts, "\(ids.count) keys")
      let found = try await view.find(Account.self, 1)
      try CancelSurprise.unless(found?.balance == 1000, "another account")
      let owners = try await view.fetch(.count, of: Account.all.grouped(by: \.owner))
      try CancelSurprise.unless(owners.count == 7, "\(owners.count) owners")
      let some = try await view.count(Account.where { $0.balance > 0 })
      try CancelSurprise.unless(some == FaultTemplate.accounts, "\(some) accounts")
    },
    CancelOperation("a deadline") { site in
      let count = try await withStoreDeadline(in: .seconds(86_400)) {
        try await site.stack.count(Account.where { $0.balance > 0 })
      }
      try CancelSurprise.unless(count == FaultTemplate.accounts, "\(count) accounts")
    },
    CancelOperation("diagnostics") { site in
      let found = try await site.stack.diagnostics(statements: 3)
      try CancelSurprise.unless(found.statements.count <= 3, "\(found.statements.count) statements")
    },
    CancelOperation("plan") { site in
      let copy = site.store.appendingPathExtension("planned")
      if !FileManager.default.fileExists(atPath: copy.path) {
        try FileManager.default.copyItem(at: site.store, to: copy)
      }
      var options = Stack.Options()
      options.schemaVersion = Next.version
      let plan = try await Stack.plan(Next.entities, at: copy, options: options)
      try CancelSurprise.unless(plan.problems.isEmpty, "\(plan.problems)")
      // `Stack.plan` does not react to a cancellation.
      try Task.checkCancellation()
    },
    CancelOperation("temporary") { _ in
      let stack = try await Stack.temporary(Account.self, Branch.self)
      let count = try await stack.closing { try await stack.count(Account.all) }
      try CancelSurprise.unless(count == 0, "\(count) accounts in a new store")
    },
  ]
}
