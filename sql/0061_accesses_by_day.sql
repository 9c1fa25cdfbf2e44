-- The record of accesses is read added up by day and recipient (REQ-5): the rows of some days,
-- without going through all others.
CREATE INDEX accesses_account_id_accessed_at_idx
  ON data4help.accesses (account_id, accessed_at);
