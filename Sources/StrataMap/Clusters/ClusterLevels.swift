internal import Strata

/// The geometry of the zoom levels: the radius of each level, and the cells by which points are
/// found.
///
/// Points are clustered at the levels 0 to `maximum`. Level `sites` is one level finer and has the
/// sites. The cells of a level are squares whose width is a power of two, so that a whole number of
/// cells goes around the world. They are at least as wide as the radius of the next coarser level,
/// which looks into them.
struct ClusterLevels: Sendable {
  let maximum: Int
  /// The radius by level, in units of the world: points at this distance or less are too near.
  private let radii: [UInt32]
  /// The width of the cells by level, as a power of two.
  private let cellShifts: [UInt32]
  /// The width of the cell whose points form a site, as a power of two.
  let siteShift: UInt32

  init(_ options: ClusterOptions) {
    let maximum = min(max(options.maximumZoom, 0), 22)
    let tile = options.tileSize.isFinite ? max(options.tileSize, 1) : 512
    let share = options.radius.isFinite ? min(max(options.radius / tile, 0.001), 0.5) : 0.5
    self.maximum = maximum
    radii = (0...maximum).map { zoom in
      // Points are rounded to units: points that are farther apart than this are farther apart in
      // truth.
      UInt32(share * WorldPoint.side / Double(1 << zoom)) + 2
    }
    cellShifts = [31] + radii.map { UInt32(UInt32.bitWidth - ($0 - 1).leadingZeroBitCount) }
    siteShift = UInt32(UInt32.bitWidth - 1 - (radii[maximum] / 2).leadingZeroBitCount)
  }

  /// The level of the sites.
  var sites: Int { maximum + 1 }
  /// The level of a point that leads no site. No level has this number.
  var none: Int { maximum + 2 }

  @inline(__always)
  func radius(_ level: Int) -> UInt32 { radii[level] }

  /// Returns the greatest distance of a point from the leader that stands for it.
  ///
  /// This is the sum of the radii of all finer levels, each half of the one before, and a site's
  /// width.
  func reach(_ level: Int) -> UInt32 {
    UInt32(min(UInt64(radii[level]) * 2 + (4 << siteShift), UInt64(UInt32.max / 2)))
  }

  // MARK: Cells

  /// Returns the hash of the cell that contains a point at a level.
  @inline(__always)
  func cell(_ point: WorldPoint, _ level: Int) -> UInt32 {
    let shift = cellShifts[level]
    return Self.hash(point.x >> shift, point.y >> shift)
  }

  @inline(__always)
  private static func hash(_ column: UInt32, _ row: UInt32) -> UInt32 {
    let word = (UInt64(column) << 32 | UInt64(row)) &* 0x9E37_79B9_7F4A_7C15
    return UInt32(truncatingIfNeeded: ((word ^ word >> 32) &* 0xBF58_476D_1CE4_E5B9) >> 32)
  }

  /// Returns about how many cells of a level touch a rectangle.
  func countOfCells(_ level: Int, _ rect: WorldRect) -> UInt64 {
    let shift = cellShifts[level]
    return (UInt64(rect.width >> shift) + 2) * (UInt64((rect.south - rect.north) >> shift) + 2)
  }

  /// Calls `body` once for every cell of a level that touches a rectangle.
  ///
  /// The rectangle may go around the world.
  @inline(__always)
  func forEachCell(_ level: Int, _ rect: WorldRect, _ body: (Cell) -> Void) {
    let shift = cellShifts[level]
    let columns = UInt64(1) << (32 - shift)
    let west = rect.west >> shift
    // If both ends are in the same cell, the rectangle may still go all the way around to that
    // cell.
    var width = UInt64(((rect.west &+ rect.width) >> shift) &- west) & (columns - 1) + 1
    if (UInt64(rect.width) + 1) >> shift >= columns - 1 { width = columns }
    for row in rect.north >> shift...rect.south >> shift {
      for step in 0..<UInt32(width) {
        let column = (west &+ step) & UInt32(columns - 1)
        body(Cell(shift: shift, column: column, row: row, hash: Self.hash(column, row)))
      }
    }
  }

  /// A cell of a level.
  struct Cell {
    fileprivate let shift: UInt32
    fileprivate let column: UInt32
    fileprivate let row: UInt32
    let hash: UInt32

    /// Returns whether a point is in the cell, and not only in a cell with the same hash.
    @inline(__always)
    func contains(_ point: WorldPoint) -> Bool {
      point.x >> shift == column && point.y >> shift == row
    }
  }
}

/// A rectangle of the world, edges included, that may cross the antimeridian.
struct WorldRect: Sendable, Hashable {
  /// The western edge.
  let west: UInt32
  /// The width eastwards; `UInt32.max` is all around the world.
  let width: UInt32
  /// The northern edge, which is the lesser number.
  let north: UInt32
  let south: UInt32

  /// Creates the square within `radius` of a point on each side; `radius` is at most half the
  /// world.
  @inline(__always)
  init(around center: WorldPoint, radius: UInt32) {
    west = center.x &- radius
    width = radius > UInt32.max / 2 ? .max : radius * 2
    north = center.y - min(center.y, radius)
    south = center.y + min(UInt32.max - center.y, radius)
  }

  init(west: UInt32, width: UInt32, north: UInt32, south: UInt32) {
    self.west = west
    self.width = width
    self.north = north
    self.south = south
  }

  @inline(__always)
  func contains(_ point: WorldPoint) -> Bool {
    point.x &- west <= width && point.y >= north && point.y <= south
  }

  /// Returns the rectangle with a margin on every side.
  func padded(_ margin: UInt32) -> WorldRect {
    let wider = UInt64(width) + 2 * UInt64(margin)
    return WorldRect(
      west: west &- margin, width: UInt32(min(wider, UInt64(UInt32.max))),
      north: north - min(north, margin), south: south + min(UInt32.max - south, margin))
  }
}

extension WorldRect {
  /// Creates the rectangle of a region; nil if the region is not valid.
  init?(_ region: GeoRegion) {
    guard region.isValid else { return nil }
    let corner = WorldPoint(Coordinate(latitude: region.north, longitude: region.inRange.west))
    // The width is a unit more than the edges require, because their places were rounded down.
    let width = UInt32(min(region.width / 360 * WorldPoint.side + 1, WorldPoint.side - 1))
    self.init(
      west: corner.x, width: width, north: corner.y, south: WorldPoint.y(region.south))
  }
}
