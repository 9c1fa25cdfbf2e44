-- The order of a person's emergencies (SOS-8): of those that one upload raised, the one that was
-- measured later is the newer one. Identifiers, which tell nothing, were in their place.

DROP INDEX data4help.emergencies_account_id_idx;
CREATE INDEX emergencies_account_id_idx
  ON data4help.emergencies (account_id, suspected_at DESC, first_critical DESC, rule DESC);
