// swift-tools-version: 6.2
import PackageDescription

// Compiles Strata's property wrappers on systems without SwiftUI, against the declarations that
// they use. Drives them, and the screens of the app QuakeNotes, with a host. `Adapter` is a link to
// `Sources/StrataSwiftUI`. `App` in `QuakeNotes` and `QuakeNotesCheck` is a link to the files of the app.

let upcoming: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// The settings of the Xcode project. The app imports the adapter by the name that it has on Apple's platforms.
let app: [SwiftSetting] = [
  .defaultIsolation(MainActor.self),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
  .unsafeFlags(["-module-alias", "StrataSwiftUI=Adapter"]),
]

let strata: Target.Dependency = .product(name: "Strata", package: "strata")
let strataImport: Target.Dependency = .product(name: "StrataImport", package: "strata")

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
    .executableTarget(
      name: "QuakeNotes", dependencies: [strata, strataImport, "Adapter", "SwiftUI"],
      path: "QuakeNotes", swiftSettings: app),
    .executableTarget(
      name: "QuakeNotesCheck", dependencies: [strata, strataImport, "Adapter", "SwiftUI"],
      path: "QuakeNotesCheck", exclude: ["App/QuakeNotesApp.swift"], swiftSettings: app),
  ],
  swiftLanguageModes: [.v6]
)
