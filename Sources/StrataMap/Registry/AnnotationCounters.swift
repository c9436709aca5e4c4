/// Counts of the operations that a registry has delivered or avoided.
///
/// ```swift
/// let registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: surface)
/// await registry.drain()
/// print(registry.counters.added, registry.counters.coalesced, registry.counters.worstSlice)
/// ```
public struct AnnotationCounters: Sendable, Hashable {
  /// The number of delivered operations that added an annotation.
  public internal(set) var added = 0
  /// The number of delivered operations that moved an annotation.
  public internal(set) var moved = 0
  /// The number of delivered operations that restyled an annotation.
  public internal(set) var restyled = 0
  /// The number of delivered operations that removed an annotation.
  public internal(set) var removed = 0
  /// The number of changes that met a pending operation of the same id and were composed with it.
  public internal(set) var coalesced = 0
  /// The number of changes that left the annotation as the surface shows it, and caused no
  /// operation.
  public internal(set) var suppressed = 0
  /// The maximum number of ids that were pending at once.
  public internal(set) var highWater = 0
  /// The number of turns of the main actor that delivered at least one operation.
  public internal(set) var slices = 0
  /// The duration of the longest such turn, by the registry's clock.
  public internal(set) var worstSlice = Duration.zero

  /// Creates counters at zero.
  public init() {}

  /// The number of delivered operations of every kind.
  public var applied: Int { added + moved + restyled + removed }
}
