// expect: 'mainContext' has been renamed to 'viewContext'
// The main actor's context is the view context.
import Foundation
import Strata

@MainActor func f(_ stack: Stack) { _ = stack.mainContext }
