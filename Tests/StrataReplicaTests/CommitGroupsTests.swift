import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The edits that reach a server together.
@Suite(.inTurn) struct CommitGroupsTests {
  @Test func `edits whose commits meet are in one group`() {
    let groups = CommitGroups([5...5, 6...9, 1...2, 8...12, 20...20, 9...9])
    #expect(groups.all(with: [0]) == [0])
    #expect(groups.all(with: [5]) == [1, 3, 5])
    #expect(groups.all(with: [2, 4]) == [2, 4])
  }

  @Test func `a portion has whole groups, and at least one`() {
    let groups = CommitGroups([1...1, 2...3, 3...3, 4...4])
    #expect(groups.first(within: 10, sizes: [4, 3, 3, 1]) == [0, 1, 2])
    #expect(groups.first(within: 9, sizes: [4, 3, 3, 1]) == [0])
    #expect(groups.first(within: 1, sizes: [4, 3, 3, 1]) == [0])
    #expect(CommitGroups([]).first(within: 1, sizes: []).isEmpty)
  }

  @Test func `no two groups share a commit, and none can be divided`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<500 {
      let commits = (0..<(1 + random.below(9))).map { _ in
        let first = Int64(random.below(12))
        return first...(first + Int64(random.below(4)))
      }
      let groups = CommitGroups(commits)
      for number in commits.indices {
        // The group grows by the edits that meet one of it.
        var (group, size) = (Set([number]), 0)
        while group.count > size {
          size = group.count
          for other in commits.indices
          where group.contains(where: { commits[$0].overlaps(commits[other]) }) {
            group.insert(other)
          }
        }
        #expect(Set(groups.all(with: [number])) == group, "\(commits)")
      }
    }
  }
}
