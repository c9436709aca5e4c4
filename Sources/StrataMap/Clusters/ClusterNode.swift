/// One point in the tree of clusters, 40 bytes.
///
/// A point that leads at a level leads at every finer one too, so one number says all: it leads
/// from `top` on. At the next coarser level it has joined `parent`.
struct ClusterNode: Sendable {
  static let none: Int32 = -1

  let position: WorldPoint
  /// The priority: points are ordered by it, the greater first, as if by chance.
  let rank: UInt64
  /// How many points are below, those of its own site included; 0 for what is no site's leader.
  var weight: Int32 = 0
  var parent = Self.none
  var firstChild = Self.none
  var nextSibling = Self.none
  var previousSibling = Self.none
  /// The coarsest level at which it leads; `ClusterLevels.none` if it leads at none.
  var top: UInt8
  var marks: Marks = []

  /// What an update notes about a point while it runs, and must find cleared by the next one.
  struct Marks: OptionSet {
    let rawValue: UInt8

    /// It waits to be looked at again at the level under way.
    static let queued = Self(rawValue: 1)
    /// Its site was changed by this update.
    static let siteChanged = Self(rawValue: 2)
    /// It led its site before this update.
    static let ledSite = Self(rawValue: 4)
    /// It leads its site.
    static let leadsSite = Self(rawValue: 8)
    /// What is below it has changed, and its summary with that.
    static let stale = Self(rawValue: 16)
    /// Its slot is given up when the update is over.
    static let gone = Self(rawValue: 32)
    /// It came with this update and is in no site yet.
    static let arriving = Self(rawValue: 64)
    /// It leads a site of two points and more.
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
