// swift-tools-version: 6.2
import PackageDescription

// A map in the browser, fed by an annotation registry. FlyingFox is a small web server with
// WebSockets and without dependencies of its own.
let package = Package(
  name: "LiveMap",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "strata", path: "../.."),
    .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
  ],
  targets: [
    .executableTarget(
      name: "LiveMap",
      dependencies: [
        .product(name: "Strata", package: "strata"),
        .product(name: "StrataImport", package: "strata"),
        .product(name: "StrataMap", package: "strata"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      path: "Sources/LiveMap",
      resources: [.copy("Page"), .copy("Feed")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
