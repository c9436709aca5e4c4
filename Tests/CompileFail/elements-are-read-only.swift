// expect: cannot assign to property: subscript is get-only
// The elements of a live query are values at one moment.
import Foundation
import Strata

@MainActor func f(_ live: LiveQuery<Song>) { live.elements[0].title = "a" }
