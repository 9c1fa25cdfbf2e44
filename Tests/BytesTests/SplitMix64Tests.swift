import Bytes
import Testing

@Test("SplitMix64 yields the published numbers of the seed 0, and shares below 1")
func splitMixYieldsPublishedNumbers() {
  var numbers = SplitMix64(seed: 0)
  #expect(numbers.next() == 0xE220_A839_7B1D_CDAF)
  #expect(numbers.next() == 0x6E78_9E6A_A1B9_65F4)
  #expect(numbers.next() == 0x06C4_5D18_8009_454F)
  for _ in 0..<1_000 { #expect((0..<1).contains(numbers.nextShare())) }
}
