#if canImport(MapKit)
  import Strata
  import StrataMap

  /// The calls that a surface makes to its registry, independent of the registry's entity.
  @MainActor struct MapControl {
    let close: (GateReason) -> Void
    let open: (GateReason) -> Void
    let show: (GeoRegion, _ zoom: Double) -> Void
    let select: (RecordKey) -> Void
    let deselect: (RecordKey) -> Void
    let isSelected: (RecordKey) -> Bool
    let expansionZoom: (RecordKey) async -> Int?
    let detach: () -> Void
    /// Whether the registry shows an annotation with an id.
    let shows: (RecordKey) -> Bool
    let registry: AnyObject

    init<E: Entity>(_ registry: AnnotationRegistry<E>) {
      close = { registry.close($0) }
      open = { registry.open($0) }
      show = { registry.show($0, zoom: $1) }
      select = { registry.select($0) }
      deselect = { registry.deselect($0) }
      isSelected = { registry.selection.contains($0) }
      expansionZoom = { await registry.expansionZoom(of: $0) }
      detach = { registry.detach() }
      shows = { registry.annotations[$0] != nil }
      self.registry = registry
    }
  }
#endif
