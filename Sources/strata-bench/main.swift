await runBenchmark("strata-bench")
