// Drives the adapter with a real store and a map view that keeps its annotations and draws nothing.

import Adapter
import Foundation
import MapKit
import Strata
import StrataMap

struct Lighthouse: Entity {
  var id = 0
  var name = ""
  var latitude = 0.0
  var longitude = 0.0

  static let schema = Schema<Lighthouse>("lighthouses", key: \.id) {
    Attribute(\.name)
    Attribute(\.latitude)
    Attribute(\.longitude)
  }

  static let pins = AnnotationMapping<Lighthouse>(latitude: \.latitude, longitude: \.longitude)
    .title(\.name)
    .priority(\.id)
}

func check(_ condition: Bool, _ what: String) {
  guard condition else {
    print("failed: \(what)")
    exit(1)
  }
}

@MainActor func region(_ span: Double) -> MKCoordinateRegion {
  MKCoordinateRegion(
    center: CLLocationCoordinate2D(latitude: 50, longitude: 0.45),
    span: MKCoordinateSpan(latitudeDelta: span / 2, longitudeDelta: span))
}

let stack = try await Stack.temporary(Lighthouse.self)
try await stack.withScratch { scratch in
  for id in 0..<10 {
    scratch.insert(
      Lighthouse(id: id, name: "Light \(id)", latitude: 50, longitude: Double(id) / 10))
  }
}
let live = stack.viewContext.live(Lighthouse.all)
try await live.waitUntilLoaded()

let map = MKMapView()
map.bounds = CGRect(x: 0, y: 0, width: 400, height: 300)
let surface = MapKitSurface(map)
let registry = AnnotationRegistry(
  live, mapping: Lighthouse.pins, on: surface, clusters: ClusterOptions())
surface.show(registry)
map.setRegion(region(10), animated: false)
await registry.drain()
let clusters = map.annotations.compactMap { $0 as? RegistryAnnotation }
check(!clusters.isEmpty && clusters.count < 10, "clusters far away")
check(
  clusters.reduce(0) { $0 + ($1.annotation.cluster?.count ?? 1) } == 10, "the clusters' counts")
check(
  clusters.compactMap(map.view).allSatisfy { $0.clusteringIdentifier == nil },
  "MapKit's own clustering is off")

map.setRegion(region(0.5), animated: true)
await registry.drain()
check(map.annotations.count == 10, "single annotations near by")

@MainActor func pin(_ id: Int) -> RegistryAnnotation? {
  map.annotations.lazy.compactMap { $0 as? RegistryAnnotation }
    .first { $0.annotation.id == RecordKey(.integer(Int64(id))) }
}

guard let third = pin(3), let light = live.elements.first(where: { $0.id == 3 }) else {
  fatalError("a lighthouse is missing")
}
check(third.title == "Light 3", "titles")
check(map.view(for: third)?.zPriority.rawValue == 3, "what is drawn above what")
stack.viewContext.update(light) { ($0.latitude, $0.name) = (50.1, "moved") }
await registry.drain()
check(pin(3) === third && third.coordinate.latitude == 50.1, "a move in place")
check(third.title == "moved", "a new title in place")

// The gate is closed while the region changes.
surface.mapView(map, regionWillChangeAnimated: true)
stack.viewContext.update(light) { $0.latitude = 50.2 }
await registry.drain()
check(third.coordinate.latitude == 50.1 && registry.pendingOperationCount == 1, "the gate")
surface.mapView(map, regionDidChangeAnimated: true)
await registry.drain()
check(third.coordinate.latitude == 50.2, "the gate opens")

// A selection survives in a cluster. The pin is selected again when the cluster comes apart.
map.selectAnnotation(third, animated: true)
check(registry.selection == [third.annotation.id], "selected by the user")
map.setRegion(region(60), animated: false)
await registry.drain()
check(map.selectedAnnotations.isEmpty && registry.selection.count == 1, "hidden in a cluster")
map.setRegion(region(0.5), animated: false)
await registry.drain()
check(map.selectedAnnotations.first === pin(3), "selected again")

// A tap on a cluster splits the cluster.
map.setRegion(region(60), animated: false)
await registry.drain()
guard let cluster = map.annotations.first else { fatalError("no cluster") }
let wide = map.region.span.longitudeDelta
map.selectAnnotation(cluster, animated: true)
while map.region.span.longitudeDelta == wide { await Task.yield() }
await registry.drain()
check(map.annotations.count > 1, "a cluster that was tapped")

// A new registry replaces the annotations of the registry before it. An annotation that both
// registries have must not be on the map twice.
let some = stack.viewContext.live(Lighthouse.where { $0.id >= 5 })
try await some.waitUntilLoaded()
let second = AnnotationRegistry(some, mapping: Lighthouse.pins, on: surface)
surface.show(second)
check(map.annotations.isEmpty && registry.selection.isEmpty, "the end of the first registry")
await second.drain()
check(map.annotations.count == 5, "another registry")
let last = AnnotationRegistry(live, mapping: Lighthouse.pins, on: surface)
await last.drain()
check(map.annotations.count == 10, "one that shows something before it takes the other's place")
surface.show(last)
surface.show(last)
check(map.annotations.count == 10, "what it showed stays")
stack.viewContext.update(light) { $0.name = "renamed" }
await last.drain()
check(pin(3)?.title == "renamed", "showing a registry again does not end it")

surface.tearDown()
check(map.annotations.isEmpty && map.selectedAnnotations.isEmpty, "nothing is left")
check(map.delegate == nil && surface.mapView == nil, "the delegate")
stack.viewContext.update(light) { $0.latitude = 51 }
await registry.drain()
check(map.annotations.isEmpty, "nothing comes after the end")
await stack.close()
print("The adapter does what it should")
