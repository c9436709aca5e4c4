// swift-tools-version: 6.2
import PackageDescription

// Compiles the MapKit adapter on systems without MapKit, against the declarations that it uses.
// Drives the adapter with a map view that keeps its annotations and draws nothing. `Adapter` is a
// link to `Sources/StrataMapKit`.

let upcoming: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let strata: [Target.Dependency] = [
  .product(name: "Strata", package: "strata"),
  .product(name: "StrataMap", package: "strata"),
]

let package = Package(
  name: "MapKitCheck",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .target(name: "UIKit", path: "UIKit", swiftSettings: upcoming),
    .target(name: "MapKit", dependencies: ["UIKit"], path: "MapKit", swiftSettings: upcoming),
    .target(
      name: "Adapter", dependencies: strata + ["MapKit", "UIKit"], path: "Adapter",
      swiftSettings: upcoming),
    .executableTarget(
      name: "Check", dependencies: strata + ["Adapter", "MapKit"], path: "Check",
      swiftSettings: upcoming),
  ],
  swiftLanguageModes: [.v6]
)
