// expect: 'newBackgroundContext()' has been renamed to 'makeScratch()'
// A context of a worker is a scratch context.
import Foundation
import Strata

func f(_ stack: Stack) { _ = stack.newBackgroundContext() }
