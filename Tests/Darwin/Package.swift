// swift-tools-version: 6.2
import PackageDescription

// Compiles and runs the code paths for Darwin on Linux, against the declarations that they use. `Darwin` watches files
// with inotify in the place of kqueue. The files of `Check` but `main.swift` are links to `Sources/Strata`.
//
// The package has a build folder of its own, because other packages must not find a module `Darwin`.

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "DarwinCheck",
  targets: [
    .target(name: "Darwin", path: "Darwin", swiftSettings: settings),
    .executableTarget(
      name: "Check", dependencies: ["Darwin"], path: "Check", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
