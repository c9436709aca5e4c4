import Foundation
import Strata

func filters(_ keys: [Song.ID]) throws {
  let limit = 100.0
  _ = Song.where { ($0.bpm ?? 0) * 2 > limit && $0.bpm != $0.bpm && -$0.bpm < 0 }
  _ = Artist.where { $0.songs.any { $0.bpm > limit } && $0.songs.count > 2 }
  _ = Artist.where { $0.songs.all { $0.title.ignoringCase.contains("x") } || $0.songs.isEmpty }
  _ = Song.where { $0.title.localized >= "m" && $0.id.isIn(keys) }.sorted(by: \.title, .localized)
  _ = try Song.where(#Predicate { $0.title.contains("grace") && ($0.bpm ?? 0) > limit })
}
