public import UIKit

/// A map view that keeps its annotations, their views and its selection, and calls its delegate.
@MainActor open class MKMapView: UIView {
  open weak var delegate: (any MKMapViewDelegate)?
  open private(set) var annotations: [any MKAnnotation] = []
  open private(set) var selectedAnnotations: [any MKAnnotation] = []
  open private(set) var region = MKCoordinateRegion(
    center: CLLocationCoordinate2D(latitude: 0, longitude: 0),
    span: MKCoordinateSpan(latitudeDelta: 120, longitudeDelta: 360))
  private var views: [ObjectIdentifier: MKAnnotationView] = [:]
  private var classes: [String: MKAnnotationView.Type] = [:]

  open func register(
    _ viewClass: AnyClass?, forAnnotationViewWithReuseIdentifier identifier: String
  ) {
    classes[identifier] = viewClass as? MKAnnotationView.Type
  }

  open func dequeueReusableAnnotationView(
    withIdentifier identifier: String, for annotation: any MKAnnotation
  ) -> MKAnnotationView {
    guard let viewClass = classes[identifier] else { fatalError("\(identifier) is not registered") }
    return viewClass.init(annotation: annotation, reuseIdentifier: identifier)
  }

  open func addAnnotation(_ annotation: any MKAnnotation) {
    annotations.append(annotation)
    views[ObjectIdentifier(annotation)] = delegate?.mapView(self, viewFor: annotation)
  }

  open func removeAnnotation(_ annotation: any MKAnnotation) {
    deselectAnnotation(annotation, animated: false)
    annotations.removeAll { $0 === annotation }
    views[ObjectIdentifier(annotation)] = nil
  }

  open func removeAnnotations(_ annotations: [any MKAnnotation]) {
    for annotation in annotations { removeAnnotation(annotation) }
  }

  open func view(for annotation: any MKAnnotation) -> MKAnnotationView? {
    views[ObjectIdentifier(annotation)]
  }

  open func selectAnnotation(_ annotation: any MKAnnotation, animated: Bool) {
    selectedAnnotations = [annotation]
    delegate?.mapView(self, didSelect: annotation)
  }

  open func deselectAnnotation(_ annotation: (any MKAnnotation)?, animated: Bool) {
    guard let annotation, selectedAnnotations.contains(where: { $0 === annotation }) else { return }
    selectedAnnotations.removeAll { $0 === annotation }
    delegate?.mapView(self, didDeselect: annotation)
  }

  open func setRegion(_ region: MKCoordinateRegion, animated: Bool) {
    delegate?.mapView(self, regionWillChangeAnimated: animated)
    self.region = region
    delegate?.mapView(self, regionDidChangeAnimated: animated)
  }
}
