// swift-tools-version: 6.2
import PackageDescription

// The workloads of `strata-bench` with GRDB beside Strata and raw SQLite, in one process and in
// turn. The folder `Benchmark` is a link to the sources of `strata-bench`.
let package = Package(
  name: "PeerBenchmark",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "strata", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "peer-benchmark",
      dependencies: [
        .product(name: "Strata", package: "strata"),
        .product(name: "StrataImport", package: "strata"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      exclude: ["Benchmark/main.swift", "Benchmark/Map", "Benchmark/Parser"],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
