import Foundation
import Strata

/// A user who opens a screen during other writes, changes its query, and leaves.
@MainActor
struct ScreenVisit {
  private let view: ViewContext
  /// The sum of all balances.
  private let total: Int

  init(_ view: ViewContext, total: Int) { (self.view, self.total) = (view, total) }

  /// Visits the screen and returns its wrong results.
  func violations(_ random: inout SplitMix64) async throws -> [String] {
    var violations: [String] = []
    let screen = view.live(Self.query(&random))
    try await screen.waitUntilLoaded()
    if !(try await isRight(screen)) { violations.append("a new live query differs from a fetch") }
    try await screen.change(to: Self.query(&random))
    if !(try await isRight(screen)) { violations.append("a changed one differs from a fetch") }
    let owners = view.live(Account.all, sectionedBy: \.owner)
    try await owners.waitUntilLoaded()
    let shown = owners.sections.flatMap(\.elements).reduce(0) { $0 + $1.balance }
    if shown != total { violations.append("sections show \(shown) in all") }
    let sum = try await view.live(.sum(\.balance), of: Account.all).waitUntilLoaded()
    if sum != total { violations.append("a live value is \(sum)") }
    return violations
  }

  /// Returns whether a fetch at the same commit has the same elements.
  ///
  /// The result is true if the view has moved to another commit meanwhile.
  private func isRight(_ screen: LiveQuery<Account>) async throws -> Bool {
    let (commit, shown) = (view.commit, Array(screen.elements))
    let fetched = try await view.fetch(screen.query)
    return fetched == shown || view.commit != commit
  }

  private static func query(_ random: inout SplitMix64) -> Query<Account> {
    let limit = Int.random(in: 1...30, using: &random)
    let bound = 1000 + Int.random(in: -100...100, using: &random)
    let owner = "Owner \(Int.random(in: 0..<17, using: &random))"
    return switch Int.random(in: 0..<5, using: &random) {
    case 0: Account.where { $0.owner == owner }
    case 1: Account.where { $0.balance > bound }.sorted(by: \.balance, order: .reverse)
    case 2: Account.sorted(by: \.balance).limit(limit).offset(limit / 2)
    case 3: Account.where { $0.branchID != nil }.sorted(by: \.owner)
    default: Account.where { $0.balance < bound }.sorted(by: \.owner).limit(limit)
    }
  }
}
