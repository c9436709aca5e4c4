// expect: change the entity in a closure
// A context learns from the closure which attributes change.
import Foundation
import Strata

@MainActor func f(_ view: ViewContext, _ song: Song) {
  var copy = song; copy.title = "a"; view.update(copy)
}
