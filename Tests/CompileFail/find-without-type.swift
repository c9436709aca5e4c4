// expect: name the entity: 'find(Song.self, id)'
// Keys of several entities may have one type.
import Foundation
import Strata

func f(_ stack: Stack) async throws -> Song? { try await stack.find(1) }
