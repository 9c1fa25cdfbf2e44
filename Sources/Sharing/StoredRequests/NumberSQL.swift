/// SQL shared by all statements that write logs of third parties: the next numbers of their
/// sequences.
package enum NumberSQL {
  /// From `needed` (`third_party_id`, and `count`, an int8) to `given` (`third_party_id`, and
  /// `next_seq` after the assigned numbers).
  ///
  /// Each third party's row is locked from here to the commit, in a fixed order: one transaction at
  /// a time writes a log, and its numbers have no holes.
  package static let given: StaticString = """
    given AS (
      INSERT INTO data4help.third_party_sequences AS sequence (third_party_id, next_seq)
      SELECT third_party_id, count + 1
        FROM needed
       ORDER BY third_party_id
          ON CONFLICT (third_party_id) DO UPDATE
         SET next_seq = sequence.next_seq + excluded.next_seq - 1
      RETURNING sequence.third_party_id, sequence.next_seq)
    """
}
