// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target.
///
/// All targets have the same settings, so that code moves between them without surprises. Warnings
/// are errors if the environment has `STRATA_STRICT`, as in `.ci/run`.
let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (Context.environment["STRATA_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)])

let package = Package(
  name: "Strata",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Strata", targets: ["Strata"]),
    .library(name: "StrataImport", targets: ["StrataImport"]),
    .library(name: "StrataSwiftUI", targets: ["StrataSwiftUI"]),
    .library(name: "StrataMap", targets: ["StrataMap"]),
    .library(name: "StrataMapKit", targets: ["StrataMapKit"]),
    .library(name: "StrataTesting", targets: ["StrataTesting"]),
    .library(name: "StrataReplica", targets: ["StrataReplica"]),
    .library(name: "StrataPostgres", targets: ["StrataPostgres"]),
  ],
  traits: [
    .trait(
      name: "Postgres",
      description: "Replicas of PostgreSQL. They need libpq: apt-get install libpq-dev, or brew.")
  ],
  targets: [
    .systemLibrary(name: "CStrataSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "StrataSQLite", dependencies: ["CStrataSQLite"], swiftSettings: settings),
    .target(name: "Strata", dependencies: ["StrataSQLite"], swiftSettings: settings),
    .systemLibrary(name: "CStrataZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "StrataImport", dependencies: ["Strata", "CStrataZlib"], swiftSettings: settings),
    .target(name: "StrataMap", dependencies: ["Strata"], swiftSettings: settings),
    .target(
      name: "StrataMapKit", dependencies: ["Strata", "StrataMap"], swiftSettings: settings),
    .target(name: "StrataSwiftUI", dependencies: ["Strata"], swiftSettings: settings),
    .target(
      name: "StrataTesting",
      dependencies: [
        "Strata", "StrataImport", "StrataMap", "StrataFaults", "StrataSimulation", "CStrataZlib",
      ],
      swiftSettings: settings),

    .systemLibrary(
      name: "CStrataPostgres", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(name: "StrataReplica", dependencies: ["Strata"], swiftSettings: settings),
    // Without the trait, the target makes statements and runs none, and libpq is not looked for.
    .target(
      name: "StrataPostgres",
      dependencies: [
        "StrataReplica", "Strata", "StrataSQLite",
        .target(name: "CStrataPostgres", condition: .when(traits: ["Postgres"])),
      ],
      swiftSettings: settings),

    // Without the trait, the target is empty.
    .target(name: "LocalPostgres", swiftSettings: settings),
    .executableTarget(
      name: "strata-bench",
      dependencies: [
        "Strata", "StrataImport", "StrataMap", "StrataPostgres", "StrataReplica", "LocalPostgres",
        "CStrataSQLite",
      ],
      swiftSettings: settings),
    .target(
      name: "StrataFaults", dependencies: ["Strata", "CStrataSQLite"], swiftSettings: settings),
    .target(name: "CStrataSimulation"),
    .target(
      name: "StrataSimulation", dependencies: ["Strata", "StrataSQLite", "CStrataSimulation"],
      swiftSettings: settings),
    .executableTarget(
      name: "strata-stress",
      dependencies: [
        "Strata", "StrataSQLite", "StrataImport", "StrataMap", "StrataFaults", "StrataSimulation",
        "StrataReplica", "StrataPostgres", "LocalPostgres",
      ],
      swiftSettings: settings),
    .target(name: "Chapter", path: "Playgrounds/Chapter", swiftSettings: settings),
    .executableTarget(
      name: "QuickStart", dependencies: ["Chapter", "Strata", "StrataImport", "StrataMap"],
      path: "Playgrounds/QuickStart", resources: [.copy("Data")], swiftSettings: settings),
    .executableTarget(
      name: "Contexts", dependencies: ["Chapter", "Strata"], path: "Playgrounds/Contexts",
      swiftSettings: settings),
    .executableTarget(
      name: "LiveQueries", dependencies: ["Chapter", "Strata"], path: "Playgrounds/LiveQueries",
      swiftSettings: settings),
    .executableTarget(
      name: "Importing", dependencies: ["Chapter", "Strata", "StrataImport"],
      path: "Playgrounds/Importing",
      resources: [.copy("Data")], swiftSettings: settings),
    .executableTarget(
      name: "Migrations", dependencies: ["Chapter", "Strata", "StrataTesting"],
      path: "Playgrounds/Migrations", swiftSettings: settings),
    .executableTarget(
      name: "Stress", dependencies: ["Chapter", "Strata"], path: "Playgrounds/Stress",
      swiftSettings: settings),
    .executableTarget(
      name: "CoreDataModel", path: "Playgrounds/CoreDataModel", swiftSettings: settings),

    // The trait of all suites.
    .target(
      name: "StrataTestTurns", path: "Tests/StrataTestTurns", swiftSettings: settings),
    .testTarget(
      name: "StrataSQLiteTests", dependencies: ["StrataTestTurns", "StrataSQLite"],
      swiftSettings: settings),
    .testTarget(
      name: "StrataTests",
      dependencies: ["StrataTestTurns", "Strata", "StrataSQLite", "StrataTesting", "StrataFaults"],
      swiftSettings: settings),
    .testTarget(
      name: "StrataImportTests",
      dependencies: [
        "StrataTestTurns", "StrataImport", "Strata", "StrataSQLite", "StrataTesting",
        "StrataFaults",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "StrataReplicaTests",
      dependencies: ["StrataTestTurns", "StrataReplica", "Strata", "StrataTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "StrataPostgresTests",
      dependencies: [
        "StrataTestTurns", "StrataPostgres", "StrataReplica", "Strata", "StrataTesting",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "StrataMapTests",
      dependencies: ["StrataTestTurns", "StrataMap", "Strata", "StrataTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "QuickStartTests",
      dependencies: ["StrataTestTurns", "QuickStart", "Chapter", "StrataMap", "Strata"],
      swiftSettings: settings),
    .testTarget(
      name: "StrataBenchTests", dependencies: ["StrataTestTurns", "strata-bench"],
      swiftSettings: settings),
    .testTarget(
      name: "CoreDataModelTests",
      dependencies: [
        "StrataTestTurns", "CoreDataModel", "Strata", "StrataTesting", "CStrataSQLite",
      ],
      exclude: ["Models"], swiftSettings: settings),
    .testTarget(
      name: "StrataSimulationTests",
      dependencies: [
        "StrataTestTurns", "StrataSimulation", "Strata", "StrataSQLite", "StrataTesting",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "StrataTestingTests",
      dependencies: ["StrataTestTurns", "StrataTesting", "StrataMap", "StrataImport", "Strata"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
