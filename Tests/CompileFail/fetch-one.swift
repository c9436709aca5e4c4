// expect: 'fetchOne' has been renamed to 'first(_:)'
// The first entity of a query is a call of its own.
import Foundation
import Strata

func f(_ stack: Stack) async throws -> Song? { try await stack.fetchOne(Song.all) }
