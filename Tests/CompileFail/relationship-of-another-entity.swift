// expect: requires the types 'Song' and 'Artist' be equivalent
// A fetch follows the relationships of its own entity.
import Foundation
import Strata

func f(_ stack: Stack) async throws { _ = try await stack.fetch(Song.all, with: Artist.songs) }
