import Strata
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

@Suite(.inTurn) struct SpiderLayoutTests {
  @Test func `an annotation that comes or goes moves the others one slot at most`() {
    var random = SeededRandom.printingSeed()
    let layout = SpiderLayout()
    var ids: Set<RecordKey> = []
    for _ in 0..<300 {
      let before = layout.offsets(of: ids)
      let id = key(random.below(60))
      if ids.remove(id) == nil { ids.insert(id) }
      let after = layout.offsets(of: ids)
      for other in ids where other != id {
        guard let old = before[other], let new = after[other] else { continue }
        let distance = ((old.x - new.x) * (old.x - new.x) + (old.y - new.y) * (old.y - new.y))
          .squareRoot()
        #expect(distance < layout.spacing * 1.5, "seed \(random.seed)")
      }
    }
  }

  @Test func `no two slots are much nearer than the spacing`() {
    let offsets = Array(SpiderLayout(spacing: 10).offsets(of: (0..<300).map { key($0) }).values)
    for (place, one) in offsets.enumerated() {
      for other in offsets[..<place] {
        let square = (one.x - other.x) * (one.x - other.x) + (one.y - other.y) * (one.y - other.y)
        #expect(square > 64)
      }
    }
  }

  // The angles of all annotations but the first must not be NaN, although the spacing is 0.
  @Test func `the annotations of a spider without a spacing are at the shared place`() {
    let offsets = SpiderLayout(spacing: 0).offsets(of: (0..<9).map { key($0) })
    #expect(offsets.count == 9)
    for offset in offsets.values { #expect(offset.x == 0 && offset.y == 0) }
  }
}

@Suite(.inTurn) struct ZoomLevelTests {
  @Test func `a zoom that trembles changes the level once at most`() {
    for center in stride(from: 0.3, to: 6, by: 0.01) {
      var zoom = ZoomLevel(3)
      var changes = 0
      _ = zoom.set(center)
      for step in 0..<50 where zoom.set(center + [0.1, -0.1, 0.05, -0.02, 0][step % 5]) {
        changes += 1
      }
      #expect(changes <= 1, "\(center)")
    }
  }

  @Test func `a whole zoom is its level, wherever it comes from`() {
    for start in 0...9 {
      for end in 0...9 {
        var zoom = ZoomLevel(Double(start))
        #expect(zoom.set(Double(end)) == (start != end))
        #expect(zoom.level == end)
      }
    }
  }

  @Test func `strange zooms are levels, too`() {
    var zoom = ZoomLevel(.nan)
    #expect(zoom.level == 0)
    _ = zoom.set(.infinity)
    #expect(zoom.level == 30)
    _ = zoom.set(-4)
    #expect(zoom.level == 0)
  }
}
