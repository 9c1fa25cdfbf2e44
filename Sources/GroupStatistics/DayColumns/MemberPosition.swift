/// The position of a person's values, as SQL over the number in the column `member`:
/// `DayColumn.people` to a block, the blocks in `ClosingSlice.count` parts.
package enum MemberPosition {
  /// The block.
  package static let block: StaticString = "member / 992"
  /// The first of the person's two bytes in a column of the block, counted from 1 as in
  /// `substring`.
  package static let firstByte: StaticString = "member % 992 * 2 + 1"
  /// The part that the block belongs to; rows without a number count as the first part.
  package static let slice: StaticString = "coalesce(member, 0) / 992 % 8"
}
