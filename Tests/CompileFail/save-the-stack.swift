// expect: save a context: 'viewContext', or the context of 'withScratch'
// A stack has contexts, and contexts have edits.
import Foundation
import Strata

func f(_ stack: Stack) async throws { try await stack.save() }
