@_exported public import Foundation
@_exported public import UIKit

// The declarations of MapKit and CoreLocation that the adapter uses, with their signatures. The
// optional methods of the delegate are required here, so that a misspelt method does not compile.

public struct CLLocationCoordinate2D: Sendable {
  public var latitude: Double
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

public struct MKCoordinateSpan: Sendable {
  public var latitudeDelta: Double
  public var longitudeDelta: Double

  public init(latitudeDelta: Double, longitudeDelta: Double) {
    self.latitudeDelta = latitudeDelta
    self.longitudeDelta = longitudeDelta
  }
}

public struct MKCoordinateRegion: Sendable {
  public var center: CLLocationCoordinate2D
  public var span: MKCoordinateSpan

  public init(center: CLLocationCoordinate2D, span: MKCoordinateSpan) {
    self.center = center
    self.span = span
  }
}

public protocol MKAnnotation: NSObjectProtocol {
  var coordinate: CLLocationCoordinate2D { get }
  var title: String? { get }
  var subtitle: String? { get }
}

public struct MKFeatureDisplayPriority: RawRepresentable, Sendable {
  public let rawValue: Float

  public init(rawValue: Float) { self.rawValue = rawValue }

  public static let required = MKFeatureDisplayPriority(rawValue: 1_000)
}

public struct MKAnnotationViewZPriority: RawRepresentable, Sendable {
  public let rawValue: Float

  public init(rawValue: Float) { self.rawValue = rawValue }
}

@MainActor open class MKAnnotationView: UIView {
  open var annotation: (any MKAnnotation)?
  open var clusteringIdentifier: String? = "MapKit's own"
  open var displayPriority = MKFeatureDisplayPriority(rawValue: 500)
  open var zPriority = MKAnnotationViewZPriority(rawValue: 500)
  open var canShowCallout = false
  public let reuseIdentifier: String?

  public required init(annotation: (any MKAnnotation)?, reuseIdentifier: String?) {
    self.annotation = annotation
    self.reuseIdentifier = reuseIdentifier
  }
}

@MainActor open class MKMarkerAnnotationView: MKAnnotationView {
  open var glyphText: String?
}

@MainActor public protocol MKMapViewDelegate: NSObjectProtocol {
  func mapView(_ mapView: MKMapView, regionWillChangeAnimated animated: Bool)
  func mapView(_ mapView: MKMapView, regionDidChangeAnimated animated: Bool)
  func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView?
  func mapView(_ mapView: MKMapView, didSelect annotation: any MKAnnotation)
  func mapView(_ mapView: MKMapView, didDeselect annotation: any MKAnnotation)
}
