#if canImport(MapKit)
  public import MapKit
  public import Strata
  public import StrataMap

  /// Shows the annotations of a registry on an `MKMapView`, and reports the map's events to the
  /// registry.
  ///
  ///     let surface = MapKitSurface(mapView)
  ///     surface.show(AnnotationRegistry(quakes, mapping: Quake.pins, on: surface))
  ///
  /// The surface is the map view's delegate. While the region changes, no annotation is added,
  /// moved or removed. Afterwards the registry receives the new region. Moves are animated in
  /// place, views are reused, and MapKit's own clustering is off. An annotation that the user
  /// selects is selected in the registry by id, and selected again on the map when it leaves a
  /// cluster. Make a subclass for further delegate methods.
  ///
  /// The owner of the map view owns the surface, and the surface keeps the registry. Call
  /// ``tearDown()`` at the end.
  @MainActor open class MapKitSurface: NSObject, AnnotationSurface, MKMapViewDelegate {
    /// The reuse identifier of the views of single annotations, `MKMarkerAnnotationView` unless
    /// another class is registered for it.
    public static let pinIdentifier = "Strata pin"
    /// The reuse identifier of the views of clusters, `MKMarkerAnnotationView` unless another
    /// class is registered for it.
    public static let clusterIdentifier = "Strata cluster"

    /// The map view; nil after ``tearDown()``, or when the map view was released.
    public private(set) weak var mapView: MKMapView?
    /// Styles a view for its annotation whenever the view comes into use or the annotation is
    /// restyled.
    public var style: @MainActor (MKAnnotationView, SurfaceAnnotation) -> Void = { _, _ in }
    /// The duration of a move on screen, in seconds; 0 for moves without animation.
    public var moveDuration = 0.25

    private let tileSize: Double
    private var control: MapControl?
    private var shown: [RecordKey: RegistryAnnotation] = [:]
    /// The ids whose moves are being animated, each with the number of its last move.
    private var moving: [RecordKey: Int] = [:]
    private var lastMove = 0
    /// Whether the map's selection changes because of an operation, and not because of the user.
    private var isApplying = false

    /// Makes a surface the delegate of a map view.
    ///
    /// - Parameters:
    ///   - mapView: the map, which the surface does not keep.
    ///   - tileSize: `ClusterOptions.tileSize` of the registry's clusters, in points.
    public init(_ mapView: MKMapView, tileSize: Double = 512) {
      self.mapView = mapView
      self.tileSize = tileSize
      super.init()
      for identifier in [Self.pinIdentifier, Self.clusterIdentifier] {
        mapView.register(
          MKMarkerAnnotationView.self, forAnnotationViewWithReuseIdentifier: identifier)
      }
      mapView.delegate = self
    }

    /// Reports the map's events to a registry that was made for this surface.
    ///
    /// The surface keeps the registry until ``tearDown()``, or until another registry is shown.
    /// Then the first registry is detached, and its annotations are removed, except those that the
    /// new registry shows.
    public func show<E: Entity>(_ registry: AnnotationRegistry<E>) {
      if control?.registry !== registry {
        control?.detach()
        let new = MapControl(registry)
        removeAll { !new.shows($0) }
        control = new
      }
      reportRegion()
    }

    /// Closes the gate because the map is not on screen: the registry delivers nothing until
    /// ``appear()``.
    ///
    /// A change of the region that was in progress counts as ended.
    public func disappear() {
      control?.close(.hidden)
      control?.open(.regionChange)
    }

    /// Reports the region and opens the gate because the map is on screen again.
    public func appear() {
      reportRegion()
      control?.open(.hidden)
    }

    /// Detaches the registry, and leaves the map view without annotations, selection and delegate.
    public func tearDown() {
      control?.detach()
      control = nil
      guard let mapView else { return }
      if mapView.delegate === self { mapView.delegate = nil }
      endAnimations()
      removeAll { _ in true }
      self.mapView = nil
    }

    // MARK: Operations

    /// Shows one operation.
    public func apply(_ operation: AnnotationOperation) {
      guard let mapView else { return }
      isApplying = true
      defer { isApplying = false }
      switch operation {
      case .add(let annotation):
        // The id may still show an annotation of an earlier registry.
        remove(annotation.id, from: mapView)
        let added = RegistryAnnotation(annotation)
        shown[annotation.id] = added
        mapView.addAnnotation(added)
        if annotation.cluster == nil, control?.isSelected(annotation.id) == true {
          mapView.selectAnnotation(added, animated: false)
        }
      case .move(let id, to: let place):
        if let moved = shown[id] { move(moved, to: place, on: mapView) }
      case .restyle(let annotation):
        if let restyled = shown[annotation.id] { restyle(restyled, as: annotation, on: mapView) }
      case .remove(let id):
        remove(id, from: mapView)
      }
    }

    private func remove(_ id: RecordKey, from mapView: MKMapView) {
      guard let removed = shown.removeValue(forKey: id) else { return }
      moving[id] = nil
      mapView.deselectAnnotation(removed, animated: false)
      mapView.removeAnnotation(removed)
    }

    private func removeAll(where isGone: (RecordKey) -> Bool) {
      guard let mapView else { return }
      isApplying = true
      defer { isApplying = false }
      let removed = shown.filter { isGone($0.key) }
      for (id, annotation) in removed {
        (shown[id], moving[id]) = (nil, nil)
        mapView.deselectAnnotation(annotation, animated: false)
      }
      mapView.removeAnnotations(Array(removed.values))
    }

    private func restyle(
      _ old: RegistryAnnotation, as new: SurfaceAnnotation, on mapView: MKMapView
    ) {
      let changesView = (old.annotation.cluster == nil) != (new.cluster == nil)
      old.restyle(as: new)
      guard changesView else {
        if let view = mapView.view(for: old) { prepare(view, for: new) }
        return
      }
      // A map view asks for another view only when an annotation is added.
      mapView.deselectAnnotation(old, animated: false)
      mapView.removeAnnotation(old)
      mapView.addAnnotation(old)
      if new.cluster == nil, control?.isSelected(new.id) == true {
        mapView.selectAnnotation(old, animated: false)
      }
    }

    // MARK: Moves

    private func move(_ annotation: RegistryAnnotation, to place: Coordinate, on mapView: MKMapView)
    {
      #if canImport(UIKit)
        if moveDuration > 0, mapView.view(for: annotation) != nil {
          let id = annotation.annotation.id
          lastMove += 1
          let move = lastMove
          moving[id] = move
          return UIView.animate(
            withDuration: moveDuration, delay: 0,
            options: [.allowUserInteraction, .beginFromCurrentState]
          ) {
            annotation.move(to: place)
          } completion: { [weak self] _ in
            if self?.moving[id] == move { self?.moving[id] = nil }
          }
        }
      #endif
      annotation.move(to: place)
    }

    /// Ends the animations of moves when the gate closes.
    public func gateDidChange(isOpen: Bool) {
      if !isOpen { endAnimations() }
    }

    /// Ends every animation, so that each annotation is at its destination.
    private func endAnimations() {
      #if canImport(UIKit)
        for id in moving.keys {
          if let annotation = shown[id] {
            mapView?.view(for: annotation)?.layer.removeAllAnimations()
          }
        }
      #endif
      moving = [:]
    }

    // MARK: Regions

    private func reportRegion() {
      guard let mapView, let control else { return }
      let region = mapView.region
      let share = region.span.longitudeDelta / 360
      guard mapView.bounds.width > 0, share > 0 else { return }
      control.show(GeoRegion(region), log2(Double(mapView.bounds.width) / (share * tileSize)))
    }

    /// Closes the gate, because the region begins to change.
    open func mapView(_ mapView: MKMapView, regionWillChangeAnimated animated: Bool) {
      control?.close(.regionChange)
    }

    /// Reports the new region to the registry, and opens the gate.
    open func mapView(_ mapView: MKMapView, regionDidChangeAnimated animated: Bool) {
      reportRegion()
      control?.open(.regionChange)
    }

    // MARK: Views

    /// Returns a view for an annotation of the registry, or nil for any other annotation.
    open func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation)
      -> MKAnnotationView?
    {
      guard let shown = annotation as? RegistryAnnotation else { return nil }
      let isCluster = shown.annotation.cluster != nil
      let view = mapView.dequeueReusableAnnotationView(
        withIdentifier: isCluster ? Self.clusterIdentifier : Self.pinIdentifier, for: shown)
      prepare(view, for: shown.annotation)
      return view
    }

    private func prepare(_ view: MKAnnotationView, for annotation: SurfaceAnnotation) {
      view.clusteringIdentifier = nil
      // Overlapping annotations are clustered already, so MapKit must not hide any.
      view.displayPriority = .required
      let priority = min(max(annotation.priority, 0), 1_000)
      view.zPriority = MKAnnotationViewZPriority(rawValue: Float(priority))
      view.canShowCallout = annotation.cluster == nil
      if let marker = view as? MKMarkerAnnotationView {
        marker.glyphText = annotation.cluster.map { "\($0.count)" }
      }
      style(view, annotation)
    }

    // MARK: Selection

    /// Reports the user's selection to the registry, or calls ``didSelectCluster(_:)`` for a
    /// cluster.
    open func mapView(_ mapView: MKMapView, didSelect annotation: any MKAnnotation) {
      guard !isApplying, let selected = annotation as? RegistryAnnotation else { return }
      if selected.annotation.cluster == nil {
        control?.select(selected.annotation.id)
      } else {
        mapView.deselectAnnotation(selected, animated: false)
        didSelectCluster(selected.annotation)
      }
    }

    /// Reports the end of the user's selection to the registry.
    open func mapView(_ mapView: MKMapView, didDeselect annotation: any MKAnnotation) {
      guard !isApplying, let selected = annotation as? RegistryAnnotation else { return }
      if selected.annotation.cluster == nil { control?.deselect(selected.annotation.id) }
    }

    /// Zooms in until a cluster that the user has selected comes apart.
    open func didSelectCluster(_ cluster: SurfaceAnnotation) {
      guard let control else { return }
      Task { [weak self] in
        guard let zoom = await control.expansionZoom(cluster.id) else { return }
        self?.zoom(to: cluster.coordinate, Double(zoom))
      }
    }

    private func zoom(to place: Coordinate, _ zoom: Double) {
      guard let mapView, mapView.bounds.width > 0 else { return }
      let old = mapView.region
      let degrees = Double(mapView.bounds.width) * 360 / (tileSize * exp2(zoom))
      let shrinks = degrees / old.span.longitudeDelta
      let span = MKCoordinateSpan(
        latitudeDelta: old.span.latitudeDelta * shrinks, longitudeDelta: degrees)
      mapView.setRegion(
        MKCoordinateRegion(center: CLLocationCoordinate2D(place), span: span), animated: true)
    }
  }
#endif
