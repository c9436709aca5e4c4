// expect: 'async' call in a function that does not support concurrency
// A fetch reads the store, and no caller waits for a disk without saying so.
import Foundation
import Strata

func f(_ stack: Stack) throws -> [Song] { try stack.fetch(Song.all) }
