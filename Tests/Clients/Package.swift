// swift-tools-version: 6.2
import PackageDescription

// The same client programs under the four settings that apps use. The test is that they build. See
// `.ci/run`. The folders `MainActorDefault`, `Plain6` and `Swift5` are links to `Programs`.

let upcoming: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let dependencies: [Target.Dependency] = [
  .product(name: "Strata", package: "strata"),
  .product(name: "StrataImport", package: "strata"),
  .product(name: "StrataMap", package: "strata"),
]

let package = Package(
  name: "Clients",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "strata", path: "../..")],
  targets: [
    .executableTarget(name: "Readme", dependencies: dependencies, path: "Readme"),
    .executableTarget(
      name: "Strict", dependencies: dependencies, path: "Programs", swiftSettings: upcoming),
    .executableTarget(
      name: "MainActorDefault", dependencies: dependencies, path: "MainActorDefault",
      swiftSettings: upcoming + [.defaultIsolation(MainActor.self)]),
    .executableTarget(name: "Plain6", dependencies: dependencies, path: "Plain6"),
    .executableTarget(
      name: "Swift5", dependencies: dependencies, path: "Swift5",
      swiftSettings: [.swiftLanguageMode(.v5)]),
  ],
  swiftLanguageModes: [.v6]
)
