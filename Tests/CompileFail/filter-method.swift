// expect: 'filter' has been renamed to 'where(_:)'
// A condition that the store evaluates is a 'where'.
import Foundation
import Strata

func f() -> Query<Song> { Song.filter { $0.loved } }
