import Foundation
import Synchronization
import StrataTestTurns
import Testing

@testable import strata_bench

@Suite(.inTurn) struct ProgressTests {
  private final class Text: Sendable {
    private let text = Mutex("")
    func append(_ more: String) { text.withLock { $0 += more } }
    var value: String { text.withLock { $0 } }
  }

  private func line(_ text: Text, _ environment: [String: String] = [:], isTerminal: Bool = true)
    -> ProgressLine
  {
    ProgressLine(
      Terminal(environment: environment, isInteractive: isTerminal, size: (40, 24)),
      put: { text.append($0) })
  }

  // MARK: The text

  @Test func `progress tells the step, the part and the time left`() {
    let progress = Progress(start: .seconds(10))
    #expect(
      progress.line("W1", done: 0.25, now: .seconds(40)) == "25 %, about 1 min 30 s left, W1")
    #expect(progress.line("W1", done: 1, now: .seconds(40)) == "100 %, about 0 s left, W1")
  }

  @Test func `the progress shows no time left before there is a pace`() {
    let progress = Progress(start: .zero)
    #expect(progress.line("W1", done: 0, now: .seconds(40)) == "0 %, W1")
    #expect(progress.line("W1", done: 0.5, now: .seconds(1)) == "50 %, W1")
    #expect(progress.line("import", done: nil, now: .seconds(75)) == "1 min 15 s, import")
  }

  @Test(arguments: [
    (0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3_599, "59 min 59 s"),
    (7_500, "2 h 5 min"),
  ])
  func `a duration is in the units that matter`(seconds: Int, text: String) {
    #expect(Progress.text(.seconds(seconds)) == text)
  }

  // MARK: The line

  @Test func `a terminal shows a line, in place of the line before`() {
    let text = Text()
    let line = line(text)
    line.show(String(repeating: "long ", count: 20), done: 0.5)
    #expect(text.value.hasPrefix("\r\u{1B}[2K\u{1B}[2m50 %, long long"))
    let plain = text.value.replacing(#/\u{1B}\[[0-9;]*[mK]|\r/#, with: "")
    #expect(plain.count == 39, "a full line would scroll")
    line.clear()
    #expect(text.value.hasSuffix("\r\u{1B}[2K"))
  }

  @Test func `a pipe and a dumb terminal get nothing`() {
    let text = Text()
    for line in [line(text, isTerminal: false), line(text, ["TERM": "dumb"])] {
      line.show("step", done: 0.5)
      line.clear()
      line.end()
    }
    #expect(text.value.isEmpty)
  }

  @Test func `fast steps are not all written`() {
    let text = Text()
    let line = line(text)
    for step in 0..<10_000 { line.show("step \(step)") }
    #expect(text.value.count { $0 == "\r" } < 1_000)
  }

  @Test func `a line that is not shown is not removed, and its end is for good`() {
    let text = Text()
    let line = line(text)
    line.clear()
    line.end()
    line.show("step")
    #expect(text.value.isEmpty)
  }

  // MARK: The benchmark

  @Test func `each workload is an equal part, and its repetitions never go beyond it`() {
    var pace = BenchPace(workloads: 4, repetitions: 3)
    #expect(pace.done == 0)
    var last = 0.0
    for workload in 1...4 {
      pace.beginWorkload()
      #expect(pace.done == Double(workload - 1) / 4)
      for repetition in [0, 1, 2, 3, 0, 1, 2, 3] {
        pace.begin(repetition: repetition)
        #expect(pace.done >= last && pace.done < Double(workload) / 4)
        last = pace.done
      }
      #expect(pace.text == "workload \(workload) of 4, repetition 3 of 3")
    }
    pace.begin(repetition: 0)
    #expect(pace.text == "workload 4 of 4, warm-up")
  }

  /// A workload once reported a turn of 15 s on the main actor. It had compared the clocks of two
  /// threads.
  @Test func `a watch of another thread has no time`() async {
    let here = ProcessorWatch()
    #expect(here.millisecondsOfThread ?? -1 >= 0)
    let isKnown = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: here.millisecondsOfThread != nil) }
    }
    #expect(!isKnown)
  }

  @Test func `the file of an earlier run is an option`() throws {
    let options = try Options(["--compare", "run.json", "--reps", "2"], among: [])
    #expect(options.earlier == "run.json" && options.repetitions == 2)
    #expect(throws: Options.Failure.self) { try Options(["--compare"], among: []) }
  }
}
