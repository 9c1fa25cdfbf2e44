import Domain
import GroupStatistics
import Testing

@Suite("Column positions of a person's values")
struct MemberPositionTests {
  @Test("statements count people and parts as the columns and the workers do")
  func numbers() {
    let people = DayColumn.people
    let bytes = DayColumn.byteCount / people
    #expect(MemberPosition.block.description == "member / \(people)")
    #expect(MemberPosition.firstByte.description == "member % \(people) * \(bytes) + 1")
    #expect(
      MemberPosition.slice.description
        == "coalesce(member, 0) / \(people) % \(ClosingSlice.count)")
  }
}
