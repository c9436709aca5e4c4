#if canImport(MapKit)
  public import MapKit
  public import Strata
  public import StrataMap

  /// Shows the annotations of a registry on an `MKMapView`, and tells the registry what the map
  /// does.
  ///
  ///     let surface = MapKitSurface(mapView)
  ///     surface.show(AnnotationRegistry(quakes, mapping: Quake.pins, on: surface))
  ///
  /// It is the map view's delegate: while the region changes nothing is added, moved or removed,
  /// and afterwards the registry is told of the new region. Moves are animated in place, views are
  /// reused, and MapKit's own clustering is off. What the user selects is selected in the registry
  /// by id, and selected again when it comes out of a cluster. For further delegate methods make a
  /// subclass.
  ///
  /// Whoever owns the map view owns the surface, which keeps the registry; call ``tearDown()`` at
  /// the end.
  @MainActor open class MapKitSurface: NSObject, AnnotationSurface, MKMapViewDelegate {
    /// The reuse identifier of the views of single annotations, `MKMarkerAnnotationView` unless
    /// another class is registered for it.
    public static let pinIdentifier = "Strata pin"
    /// The reuse identifier of the views of clusters, `MKMarkerAnnotationView` unless another
    /// class is registered for it.
    public static let clusterIdentifier = "Strata cluster"

    /// The map; nil after ``tearDown()``, or when it is gone.
    public private(set) weak var mapView: MKMapView?
    /// Makes a view look as its annotation says, whenever it comes into use or is restyled.
    public var style: @MainActor (MKAnnotationView, Annotation) -> Void = { _, _ in }
    /// How long a move on screen takes, in seconds; 0 for not animated.
    public var moveDuration = 0.25

    private let tileSize: Double
    private var control: MapControl?
    private var shown: [RecordKey: MapAnnotation] = [:]
    /// Those whose moves are being animated, with the number of the last move.
    private var moving: [RecordKey: Int] = [:]
    private var lastMove = 0
    /// The map's selection changes because of an operation, and not by the user.
    private var isApplying = false

    /// Makes a surface the delegate of a map view.
    ///
    /// - Parameters:
    ///   - mapView: the map; the surface does not keep it.
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

    /// Tells a registry that was made for this surface what the map does, and keeps it until
    /// ``tearDown()``, or until another one is shown: that ends this one, and removes what it
    /// showed.
    public func show<E: Entity>(_ registry: AnnotationRegistry<E>) {
      if control?.registry !== registry {
        control?.detach()
        let new = MapControl(registry)
        removeAll { !new.shows($0) }
        control = new
      }
      tellRegion()
    }

    /// The map is not on screen: nothing is shown until ``appear()``.
    ///
    /// A change of the region that was under way counts as ended.
    public func disappear() {
      control?.close(.hidden)
      control?.open(.regionChange)
    }

    /// The map is on screen again.
    public func appear() {
      tellRegion()
      control?.open(.hidden)
    }

    /// Ends the registry, and leaves the map view without annotations, selection and delegate.
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
        // Of a registry whose place this one takes.
        remove(annotation.id, from: mapView)
        let added = MapAnnotation(annotation)
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

    private func restyle(_ old: MapAnnotation, as new: Annotation, on mapView: MKMapView) {
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

    private func move(_ annotation: MapAnnotation, to place: Coordinate, on mapView: MKMapView) {
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

    /// Puts everything where it moves to, at once.
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

    private func tellRegion() {
      guard let mapView, let control else { return }
      let region = mapView.region
      let share = region.span.longitudeDelta / 360
      guard mapView.bounds.width > 0, share > 0 else { return }
      control.show(GeoRegion(region), log2(Double(mapView.bounds.width) / (share * tileSize)))
    }

    /// The region begins to change: the gate closes.
    open func mapView(_ mapView: MKMapView, regionWillChangeAnimated animated: Bool) {
      control?.close(.regionChange)
    }

    /// The region has changed: the registry is told, and the gate opens.
    open func mapView(_ mapView: MKMapView, regionDidChangeAnimated animated: Bool) {
      tellRegion()
      control?.open(.regionChange)
    }

    // MARK: Views

    /// A view for an annotation of the registry; nil for any other one.
    open func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation)
      -> MKAnnotationView?
    {
      guard let shown = annotation as? MapAnnotation else { return nil }
      let isCluster = shown.annotation.cluster != nil
      let view = mapView.dequeueReusableAnnotationView(
        withIdentifier: isCluster ? Self.clusterIdentifier : Self.pinIdentifier, for: shown)
      prepare(view, for: shown.annotation)
      return view
    }

    private func prepare(_ view: MKAnnotationView, for annotation: Annotation) {
      view.clusteringIdentifier = nil
      // What overlaps is clustered already, and nothing else is to be hidden.
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

    /// The user has selected an annotation, which the registry is told of; or a cluster.
    open func mapView(_ mapView: MKMapView, didSelect annotation: any MKAnnotation) {
      guard !isApplying, let selected = annotation as? MapAnnotation else { return }
      if selected.annotation.cluster == nil {
        control?.select(selected.annotation.id)
      } else {
        mapView.deselectAnnotation(selected, animated: false)
        didSelectCluster(selected.annotation)
      }
    }

    /// The user has ended a selection.
    open func mapView(_ mapView: MKMapView, didDeselect annotation: any MKAnnotation) {
      guard !isApplying, let selected = annotation as? MapAnnotation else { return }
      if selected.annotation.cluster == nil { control?.deselect(selected.annotation.id) }
    }

    /// The user has selected a cluster: the map zooms in until it comes apart.
    open func didSelectCluster(_ cluster: Annotation) {
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
