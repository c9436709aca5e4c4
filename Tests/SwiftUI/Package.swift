// swift-tools-version: 6.2
import PackageDescription

// Compiles Strata's property wrappers on systems without SwiftUI, against the declarations that
// they use. Drives them with a host that evaluates one view. `Adapter` is a link to
// `Sources/StrataSwiftUI`.

let upcoming: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let strata: Target.Dependency = .product(name: "Strata", package: "strata")

let package = Package(
  name: "SwiftUICheck",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .target(name: "SwiftUI", path: "SwiftUI", swiftSettings: upcoming),
    .target(
      name: "Adapter", dependencies: [strata, "SwiftUI"], path: "Adapter", swiftSettings: upcoming),
    .executableTarget(
      name: "Check", dependencies: [strata, "Adapter", "SwiftUI"], path: "Check",
      swiftSettings: upcoming),
    // Like most apps, this app isolates everything to the main actor.
    .executableTarget(
      name: "MainActorApp", dependencies: [strata, "Adapter", "SwiftUI"], path: "MainActorApp",
      swiftSettings: [.defaultIsolation(MainActor.self)]),
  ],
  swiftLanguageModes: [.v6]
)
