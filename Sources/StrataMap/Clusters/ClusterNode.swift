/// A point in the tree of clusters, 40 bytes.
///
/// A point that leads at a level also leads at every finer level. So a single number is enough: the
/// point leads from level `top` on. At the next coarser level it has joined `parent`.
struct ClusterNode: Sendable {
  static let none: Int32 = -1

  let position: WorldPoint
  /// The priority, which is as good as random: points are ordered by it, the greatest first.
  let rank: UInt64
  /// The number of points below, including its own site; 0 for a point that leads no site.
  var weight: Int32 = 0
  var parent = Self.none
  var firstChild = Self.none
  var nextSibling = Self.none
  var previousSibling = Self.none
  /// The coarsest level at which the point leads; `ClusterLevels.none` if it leads at none.
  var top: UInt8
  var marks: Marks = []

  /// Notes about a point.
  ///
  /// The marks `leadsSite`, `leadsStack` and `gone` persist. Each update must find all other marks
  /// cleared.
  struct Marks: OptionSet {
    let rawValue: UInt8

    /// The point waits to be decided again at the present level.
    static let queued = Self(rawValue: 1)
    /// This update changed whether the point leads its site.
    static let siteChanged = Self(rawValue: 2)
    /// The point led its site before this update.
    static let ledSite = Self(rawValue: 4)
    /// The point leads its site.
    static let leadsSite = Self(rawValue: 8)
    /// The points below have changed, and their summary with them.
    static let stale = Self(rawValue: 16)
    /// The slot is free after the update.
    static let gone = Self(rawValue: 32)
    /// The point was added by this update and is in no site yet.
    static let arriving = Self(rawValue: 64)
    /// The point leads a site of two or more points.
    static let leadsStack = Self(rawValue: 128)
  }

  @inline(__always)
  init(_ position: WorldPoint, rank: UInt64, top: Int) {
    self.position = position
    self.rank = rank
    self.top = UInt8(top)
  }

  @inline(__always)
  func leads(_ level: Int) -> Bool { Int(top) <= level }
}
