// The check is that this builds: the same views in a module whose default isolation is the main
// actor.

import Adapter
import Strata
import SwiftUI

let stack = try await Stack.temporary(Song.self)
Host().show(SongList(genre: "modal").strataStack(stack))
await stack.close()
