// expect: conform to 'ComparableValue'
// Entities have no order, but their attributes have one.
import Foundation
import Strata

func f() -> Query<Song> { Song.sorted(by: \.artist) }
