// expect: data races
// A scratch context belongs to one actor. A program that passes it to two actors must not compile.
import Strata

actor Worker {
  let scratch: ScratchContext
  init(_ scratch: sending ScratchContext) { self.scratch = scratch }
}

func share(_ stack: Stack) {
  let scratch = stack.makeScratch()
  _ = Worker(scratch)
  _ = Worker(scratch)
}
