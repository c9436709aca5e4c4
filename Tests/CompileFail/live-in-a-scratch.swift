// expect: only the view context has live queries
// A scratch context shows one snapshot, which does not change.
import Foundation
import Strata

func f(_ scratch: ScratchContext) { _ = scratch.live(Song.all) }
