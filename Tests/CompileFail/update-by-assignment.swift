// expect: cannot assign to property: 'song' is a 'let' constant
// An entity is a value, and a context changes it.
import Foundation
import Strata

@MainActor func f(_ view: ViewContext, _ song: Song) { song.title = "a" }
