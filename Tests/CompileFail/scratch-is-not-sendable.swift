// expect: a scratch context belongs to one actor
// The message names the alternative.
import Strata

func send(_ value: some Sendable) {}
func sendScratch(_ scratch: ScratchContext) { send(scratch) }
