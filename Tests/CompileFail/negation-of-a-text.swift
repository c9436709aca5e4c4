// expect: an attribute is no condition: compare it with a value
// Only a Bool attribute is a condition.
import Foundation
import Strata

func f() -> Query<Song> { Song.where { !$0.title } }
