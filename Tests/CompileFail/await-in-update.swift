// expect: cannot pass function of type
// Nothing can interleave in an edit, because its closure cannot suspend.
import Foundation
import Strata

@MainActor func f(_ view: ViewContext, _ song: Song) {
  view.update(song) {
    await Task.yield(); $0.title = "a"
  }
}
