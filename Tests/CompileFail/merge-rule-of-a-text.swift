// expect: sum
// A text has no sum.
import Foundation
import Strata

let schema = Schema<Song>("songs", key: \.id) { Attribute(\.title).merged(by: .sum) }
