// A child of the parser's workloads measures one side alone.
if CommandLine.arguments.dropFirst().first == ParserSide.argument {
  try ParserSide.runChild(Array(CommandLine.arguments.dropFirst(2)))
} else {
  await runBenchmark("strata-bench", more: [.parsing, .streaming])
}
