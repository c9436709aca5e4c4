// expect: 'perform' has been renamed to 'withScratch(_:)'
// A unit of work lends a scratch context.
import Foundation
import Strata

func f(_ stack: Stack) async throws { try await stack.perform { $0.insert(Song()) } }
