// expect: fetch a query: 'fetch(Song.all)'
// A fetch names its query.
import Foundation
import Strata

func f(_ stack: Stack) async throws -> [Song] { try await stack.fetch(Song.self) }
