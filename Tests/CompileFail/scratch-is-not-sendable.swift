// expect: a scratch context belongs to one actor
// The message says what to do instead.
import Strata

func send(_ value: some Sendable) {}
func sendScratch(_ scratch: ScratchContext) { send(scratch) }
