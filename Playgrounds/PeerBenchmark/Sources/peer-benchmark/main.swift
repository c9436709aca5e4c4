await runBenchmark("peer-benchmark", peers: [.grdb(GRDBSong.self), .grdb(GRDBCodableSong.self)])
