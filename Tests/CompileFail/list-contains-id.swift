// expect: write the attribute first: '$0.id.isIn(ids)'
// A filter begins with an attribute.
import Foundation
import Strata

func f(_ ids: [Int]) -> Query<Song> { Song.where { ids.contains($0.id) } }
