import Domain
import Operations
import Requirements
import Testing
import Time
import trackme_lab

@Suite("The unsent samples of a simulated device", .tags(.DAT_9))
struct UnsentSamplesTests {
  private let week = UnsentSamples.keptMilliseconds

  private func rate(_ number: Double, at milliseconds: Int64) -> VitalSign {
    VitalSign(.heartRate, number, at: Instant(millisecondsSince1970: milliseconds))
  }

  @Test("one week is kept, and older samples are dropped")
  func bounded() {
    var unsent = UnsentSamples()
    unsent.add([rate(60, at: 1000)])
    #expect(unsent.add([rate(61, at: 999 + week)]) == 0)
    #expect(unsent.signs.compactMap(\.value.number) == [60, 61])
    #expect(unsent.add([rate(62, at: 1000 + week)]) == 1)
    #expect(unsent.signs.compactMap(\.value.number) == [61, 62])
  }

  @Test("at most a week of three values a second is kept")
  func counted() {
    var unsent = UnsentSamples()
    unsent.add((0..<UnsentSamples.countMax).map { rate(60, at: Int64($0)) })
    #expect(unsent.add([rate(61, at: 5_000_000), rate(62, at: 5_000_000)]) == 2)
    #expect(unsent.signs.count == UnsentSamples.countMax)
    #expect(unsent.signs.first?.time.millisecondsSince1970 == 2)
  }

  @Test("a file is read again, except for a line truncated by a crash")
  func file() throws {
    var unsent = UnsentSamples()
    let position = try SampleValue("45.4642,9.19", of: .position)
    let time = Instant(millisecondsSince1970: 1_700_000_030_000)
    unsent.add([
      rate(60, at: 1_700_000_000_000), VitalSign(.position, position, at: time),
      VitalSign(.fall, .code(0), at: time),
    ])
    #expect(UnsentSamples(text: unsent.text) == unsent)
    #expect(UnsentSamples(text: unsent.text + "17000").signs == unsent.signs)
    #expect(UnsentSamples(text: unsent.text + "17000 heartRate").signs == unsent.signs)
    #expect(UnsentSamples(text: "").signs.isEmpty)
  }

  @Test("an upload contains at most ten thousand samples, oldest first, until they are stored")
  func batches() {
    var unsent = UnsentSamples()
    unsent.add((0..<10_001).map { rate(Double($0 % 100 + 30), at: Int64($0)) })
    #expect(unsent.batch.count == 10_000)
    #expect(unsent.batch.first?.time.millisecondsSince1970 == 0)
    unsent.removeOldest(unsent.batch.count)
    #expect(unsent.signs.map(\.time.millisecondsSince1970) == [10_000])
  }

  @Test("a device measures at least every 30 s and sends at least every 4 minutes")
  func bounds() throws {
    let widest = try SimulateCommand.Order(["device", "--every", "30", "--send", "240"])
    #expect(widest.plan.sampleEvery == 30_000 && widest.plan.sendEvery == 240_000)
    for wrong in [
      ["--every", "31"], ["--every", "0"], ["--send", "241"], ["--x", "1"], ["--every"],
      ["--profile", "nothing"], ["--at", "91,9"], ["--age", "131"], ["--abort-after", "61"],
      ["--count", "0"],
    ] {
      let refusal = #expect(throws: StartError.self, "\(wrong)") {
        try SimulateCommand.Order(["device"] + wrong)
      }
      let lines = refusal?.description.split(separator: "\n") ?? []
      #expect(lines.first?.hasPrefix("\(wrong[0]) ") == true, "\(wrong)")
      #expect(lines.dropFirst().first?.hasPrefix("usage: trackme-lab simulate device") == true)
    }
    #expect(throws: StartError.self) { try SimulateCommand.Order([]) }
  }
}
