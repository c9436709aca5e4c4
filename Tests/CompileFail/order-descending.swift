// expect: write 'order: .reverse'
// Foundation's SortOrder has the names of orders.
import Foundation
import Strata

func f() -> Query<Song> { Song.sorted(by: \.title, .descending) }
