-- Companies whose names are entered by the rule of 0065. A migration of its own, since a change of
-- the columns would lock readers out while the index is built.

-- accounts_name_to_index_idx serves processes of the version before.
CREATE INDEX accounts_name_to_fold_idx
  ON data4help.accounts (account_id)
  WHERE kind = 2 AND state = 2 AND (NOT name_is_indexed OR name_folding < 1);
