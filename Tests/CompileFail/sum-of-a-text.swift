// expect: requires that 'String' conform to 'NumericValue'
// Only numbers have a sum.
import Foundation
import Strata

func f(_ stack: Stack) async throws { _ = try await stack.fetch(.sum(\.title), of: Song.all) }
