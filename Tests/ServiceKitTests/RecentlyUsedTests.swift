import ServiceKit
import Testing

@Suite("Recently used values")
struct RecentlyUsedTests {
  @Test("the limit is never exceeded, and requested values stay")
  func bounded() {
    var values = RecentlyUsed<Int, Int>(countMax: 10)
    for number in 0..<100 {
      values[number] = number
      #expect(values[0] == 0)
      #expect(values.count <= 10)
    }
    #expect(values[99] == 99)
    #expect(values[50] == nil)
  }

  @Test("a removed value is missing from both generations")
  func removal() {
    var values = RecentlyUsed<Int, Int>(countMax: 4)
    for number in 0..<4 { values[number] = number }
    for number in 0..<4 { values[number] = nil }
    #expect(values.count == 0)
  }
}
