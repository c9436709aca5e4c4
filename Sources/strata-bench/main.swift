// A child process of the parser's workloads measures one side alone.
if CommandLine.arguments.dropFirst().first == ParserSide.argument {
  try ParserSide.runChild(Array(CommandLine.arguments.dropFirst(2)))
} else {
  let map: [Workload] = [
    .clusterChange, .clusterBuild, .clusterStack, .slices, .firstLoads, .clusterMillion,
    .clusterGrowth,
  ]
  let others: [Workload] = [.parsing, .streaming, .shapes]
  await runBenchmark("strata-bench", more: map + others + Workload.replicas)
}
