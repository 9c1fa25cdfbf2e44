import Requirements
import Testing

import trackme

@Suite("What a simulated device keeps", .tags(.DAT_9))
struct UnsentSamplesTests {
  private let week = UnsentSamples.keptMilliseconds

  @Test("a week is kept, and what is older makes way")
  func bounded() {
    var unsent = UnsentSamples()
    unsent.add(Measurement(millisecondsSince1970: 1000, rate: 60))
    unsent.add(Measurement(millisecondsSince1970: 999 + week, rate: 61))
    #expect(unsent.measurements.map(\.rate) == [60, 61])
    unsent.add(Measurement(millisecondsSince1970: 1000 + week, rate: 62))
    #expect(unsent.measurements.map(\.rate) == [61, 62])
  }

  @Test("a file is read again, but for a line that a crash cut")
  func file() {
    var unsent = UnsentSamples()
    unsent.add(Measurement(millisecondsSince1970: 1_700_000_000_000, rate: 60))
    unsent.add(Measurement(millisecondsSince1970: 1_700_000_030_000, rate: 71))
    #expect(UnsentSamples(text: unsent.text) == unsent)
    #expect(UnsentSamples(text: unsent.text + "17000") == unsent)
    #expect(UnsentSamples(text: "").measurements.isEmpty)
  }

  @Test("an upload takes ten thousand at most, the oldest first, until they are stored")
  func batches() {
    var unsent = UnsentSamples()
    for index in 0..<10_001 {
      unsent.add(Measurement(millisecondsSince1970: Int64(index), rate: index))
    }
    #expect(unsent.batch.count == 10_000)
    #expect(unsent.batch.first?.rate == 0)
    unsent.removeOldest(unsent.batch.count)
    #expect(unsent.measurements.map(\.rate) == [10_000])
  }

  @Test("a device measures at least every 30 s and sends at least every 4 minutes")
  func bounds() {
    #expect(SimulateCommand.Order(["device", "--every", "30", "--send", "240"])?.every == 30)
    for wrong in [
      ["--every", "31"], ["--every", "0"], ["--send", "241"], ["--x", "1"], ["--every"],
    ] {
      #expect(SimulateCommand.Order(["device"] + wrong) == nil)
    }
    #expect(SimulateCommand.Order([]) == nil)
  }
}
