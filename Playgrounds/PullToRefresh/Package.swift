// swift-tools-version: 6.2
import PackageDescription

// Pull to refresh from a server that is slow, fails, answers in pages, and changes between two
// calls, and the way back of edits that are made offline.
let package = Package(
  name: "PullToRefresh",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "strata", path: "../.."),
    .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
  ],
  targets: [
    .executableTarget(
      name: "PullToRefresh",
      dependencies: [
        .product(name: "Strata", package: "strata"),
        .product(name: "StrataImport", package: "strata"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
