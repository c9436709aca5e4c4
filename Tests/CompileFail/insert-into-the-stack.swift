// expect: edit a context: 'viewContext', or the context of 'withScratch'
// A stack has contexts, and contexts have edits.
import Foundation
import Strata

func f(_ stack: Stack) { stack.insert(Song(id: 1)) }
