// expect: sending 's' risks causing data races
// A scratch context that another actor got must not be used any longer.
import Foundation
import Strata

actor A { func take(_ s: ScratchContext) {} }
func f(_ stack: Stack, _ a: A) async { let s = stack.makeScratch(); await a.take(s); s.rollback() }
