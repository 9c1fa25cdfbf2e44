/// Where a person's values stand, by the number in the column `member`, as statements say it:
/// `DayColumn.people` to a block, the blocks in `ClosingSlice.count` parts.
package enum MemberPlace {
  /// The block.
  package static let block: StaticString = "member / 992"
  /// The first of the person's two bytes in a column of the block, as `substring` counts.
  package static let firstByte: StaticString = "member % 992 * 2 + 1"
  /// The part that the block belongs to; who has no number is in the first.
  package static let slice: StaticString = "coalesce(member, 0) / 992 % 8"
}
