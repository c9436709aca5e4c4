// expect: data races
// A scratch context captured by a task must not be used outside it.
import Strata

func capture(_ stack: Stack) {
  let scratch = stack.makeScratch()
  Task { @concurrent in try await scratch.save() }
  scratch.rollback()
}
