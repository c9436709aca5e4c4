// expect: write 'ignoringCase' in the place of 'lowercased()'
// A filter compares texts without regard to case by an order of its own.
import Foundation
import Strata

func f() -> Query<Song> { Song.where { $0.title.lowercased() == "a" } }
