// expect: cannot convert value of type 'Int' to expected argument type 'String'
// An attribute is compared with values of its type.
import Foundation
import Strata

func f() -> Query<Song> { Song.where { $0.title == 3 } }
