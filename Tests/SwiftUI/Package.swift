// swift-tools-version: 6.2
import PackageDescription

// Compiles what Strata has for SwiftUI where there is no SwiftUI, against declarations of what it
// uses, and drives it with a host that evaluates one view. `Adapter` is a link to
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
    // As most apps are: everything on the main actor.
    .executableTarget(
      name: "MainActorApp", dependencies: [strata, "Adapter", "SwiftUI"], path: "MainActorApp",
      swiftSettings: [.defaultIsolation(MainActor.self)]),
  ],
  swiftLanguageModes: [.v6]
)
