// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Three hosts and a PostgreSQL: the live map on two of them, and a feed on the third.
let package = Package(
  name: "Replicas",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "strata", path: "../..", traits: ["Postgres"]),
    .package(path: "../LiveMap"),
    .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
  ],
  targets: [
    .executableTarget(
      name: "Replicas",
      dependencies: [
        "LocalPostgres",
        .product(name: "Strata", package: "strata"),
        .product(name: "StrataReplica", package: "strata"),
        .product(name: "StrataPostgres", package: "strata"),
        .product(name: "LiveMapServer", package: "LiveMap"),
        .product(name: "FlyingFox", package: "FlyingFox"),
      ],
      resources: [.copy("Page")],
      swiftSettings: settings),
    // A link to the target of the root package, which is no product.
    .target(name: "LocalPostgres", swiftSettings: settings + [.define("Postgres")]),
  ],
  swiftLanguageModes: [.v6]
)
