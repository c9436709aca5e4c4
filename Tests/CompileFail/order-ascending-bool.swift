// expect: write 'order: .reverse' in the place of 'ascending: false'
// Foundation's SortOrder has the names of orders.
import Foundation
import Strata

func f() -> Query<Song> { Song.sorted(by: \.title, ascending: false) }
