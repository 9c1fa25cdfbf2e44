import Data4Help
import Domain
import Testing

@Suite("Column positions of a person's values")
struct MemberPlaceTests {
  @Test("statements count people and parts as the columns and the workers do")
  func numbers() {
    let people = DayColumn.people
    let bytes = DayColumn.byteCount / people
    #expect(MemberPlace.block.description == "member / \(people)")
    #expect(MemberPlace.firstByte.description == "member % \(people) * \(bytes) + 1")
    #expect(
      MemberPlace.slice.description
        == "coalesce(member, 0) / \(people) % \(ClosingSlice.count)")
  }
}
