// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// A map in the browser, fed by an annotation registry. FlyingFox is a small web server with
// WebSockets and without dependencies of its own.
let package = Package(
  name: "LiveMap",
  platforms: [.macOS(.v15)],
  products: [.library(name: "LiveMapServer", targets: ["LiveMapServer"])],
  dependencies: [
    .package(name: "strata", path: "../.."),
    .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
  ],
  targets: [
    .executableTarget(
      name: "LiveMap",
      dependencies: ["LiveMapServer", .product(name: "Strata", package: "strata")],
      swiftSettings: settings),
    .target(
      name: "LiveMapServer",
      dependencies: [
        .product(name: "Strata", package: "strata"),
        .product(name: "StrataImport", package: "strata"),
        .product(name: "StrataMap", package: "strata"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      resources: [.copy("Page"), .copy("Feed")],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
