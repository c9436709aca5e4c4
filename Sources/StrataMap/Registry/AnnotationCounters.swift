/// What a registry has done so far.
public struct AnnotationCounters: Sendable, Hashable {
  /// Operations delivered that added an annotation.
  public internal(set) var added = 0
  /// Operations delivered that moved an annotation.
  public internal(set) var moved = 0
  /// Operations delivered that restyled an annotation.
  public internal(set) var restyled = 0
  /// Operations delivered that removed an annotation.
  public internal(set) var removed = 0
  /// Changes that met a pending operation of the same id and were composed with it.
  public internal(set) var coalesced = 0
  /// Changes that left the annotation as the surface shows it, and caused nothing.
  public internal(set) var suppressed = 0
  /// The most ids that were ever pending at once.
  public internal(set) var highWater = 0
  /// Turns of the main actor in which something was delivered.
  public internal(set) var slices = 0
  /// The longest that such a turn took, by the registry's clock.
  public internal(set) var worstSlice = Duration.zero

  /// Creates counters at zero.
  public init() {}

  /// Operations delivered, of every kind.
  public var applied: Int { added + moved + restyled + removed }
}
