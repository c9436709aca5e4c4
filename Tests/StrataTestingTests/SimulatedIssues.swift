import Strata
import StrataTesting
import Testing

/// Runs a body in the scope of a trait, in the place of a test.
///
/// - Returns: the issues of the body, which are no issues of the calling test.
func issues(
  of trait: SimulatedTrait, _ body: @concurrent @Sendable () async throws -> Void
) async throws -> [Issue] {
  let test = try #require(Test.current)
  let issues = Lock<[Issue]>([])
  let taking = IssueHandlingTrait.compactMapIssues { issue in
    issues.withLock { $0.append(issue) }
    return nil
  }
  try await taking.provideScope(for: test, testCase: Test.Case.current) {
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }
  return issues.withLock { $0 }
}
