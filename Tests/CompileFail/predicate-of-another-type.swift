// expect: cannot convert value of type 'Predicate<Artist>' to expected argument type 'Predicate<Song>'
// A predicate and its query are of one entity.
import Foundation
import Strata

func f() throws -> Query<Song> { try Query(#Predicate<Artist> { $0.name == "a" }) }
