-- Why: tables and columns have the names of the code and of the documents (R21, REQ-3, NFR-4,
-- NFR-6, RUN-15, SOS-7, SOS-9): lease, change feed, dead letter, revocation, checkpoint, trusted
-- third party, emergency. No value changes, and rights stay with their tables.
--
-- Before 0.1.0 no installation runs two versions at once, so old names need not remain.

ALTER TABLE data4help.held_identifiers RENAME TO account_identifiers;
ALTER TABLE data4help.account_identifiers
  RENAME CONSTRAINT held_identifiers_pkey TO account_identifiers_pkey;
ALTER INDEX data4help.held_identifiers_account_id_idx
  RENAME TO account_identifiers_account_id_idx;
COMMENT ON TABLE data4help.account_identifiers IS
  'The account to which an email, a fiscal code, a P.IVA or a company name belongs';

ALTER TABLE data4help.sample_accounts RENAME COLUMN room_told_at TO room_notified_at;
ALTER TABLE data4help.sample_accounts RENAME COLUMN is_followed TO is_subscribed;

ALTER TABLE data4help.preconfirmed_third_parties RENAME TO trusted_third_parties;
ALTER TABLE data4help.trusted_third_parties
  RENAME CONSTRAINT preconfirmed_third_parties_pkey TO trusted_third_parties_pkey;
ALTER TABLE data4help.trusted_third_parties
  RENAME CONSTRAINT preconfirmed_third_parties_account_id_fkey
  TO trusted_third_parties_account_id_fkey;
ALTER TABLE data4help.trusted_third_parties
  RENAME CONSTRAINT preconfirmed_third_parties_third_party_id_fkey
  TO trusted_third_parties_third_party_id_fkey;
ALTER INDEX data4help.preconfirmed_third_parties_third_party_id_idx
  RENAME TO trusted_third_parties_third_party_id_idx;
ALTER INDEX data4help.preconfirmed_third_parties_listed_at_idx
  RENAME TO trusted_third_parties_listed_at_idx;

ALTER TABLE data4help.single_requests RENAME COLUMN preconfirmed_at TO trusted_at;
ALTER TABLE data4help.single_requests
  RENAME CONSTRAINT single_requests_preconfirmed_check TO single_requests_trusted_check;

ALTER TABLE data4help.recall_clock RENAME TO revocation_clock;
ALTER TABLE data4help.revocation_clock
  RENAME CONSTRAINT recall_clock_pkey TO revocation_clock_pkey;
ALTER TABLE data4help.revocation_clock
  RENAME CONSTRAINT recall_clock_is_only_check TO revocation_clock_is_only_check;

ALTER TABLE data4help.recalls RENAME TO revocations;
ALTER TABLE data4help.revocations
  RENAME CONSTRAINT recalls_request_id_check TO revocations_request_id_check;
ALTER INDEX data4help.recalls_made_at_idx RENAME TO revocations_made_at_idx;
ALTER INDEX data4help.recalls_number_idx RENAME TO revocations_number_idx;
COMMENT ON COLUMN data4help.revocations.number IS
  'From revocation_clock; several rows of one transaction share a number';
COMMENT ON COLUMN data4help.delivering_replicas.seen IS
  'Up to this number of revocations the process has no revoked delivery in progress';

ALTER TABLE data4help.access_heads RENAME COLUMN anchored_count TO checkpointed_count;
ALTER INDEX data4help.access_heads_anchored_count_idx
  RENAME TO access_heads_checkpointed_count_idx;
COMMENT ON COLUMN data4help.access_heads.checkpointed_count IS
  'The count in the key database, as the checkpoint worker last wrote it';

ALTER TABLE data4help.monitored_users RENAME COLUMN silence_told_at TO silence_notified_at;

ALTER TABLE data4help.emergencies RENAME COLUMN episode_id TO emergency_id;
ALTER TABLE data4help.emergencies RENAME COLUMN followed_until TO tracked_until;
ALTER INDEX data4help.emergencies_followed_until_idx RENAME TO emergencies_tracked_until_idx;

ALTER TABLE data4help.emergency_calls RENAME COLUMN episode_id TO emergency_id;
ALTER TABLE data4help.emergency_calls
  RENAME CONSTRAINT emergency_calls_episode_id_fkey TO emergency_calls_emergency_id_fkey;

ALTER TABLE data4help.emergency_contact_calls RENAME COLUMN episode_id TO emergency_id;
ALTER TABLE data4help.emergency_contact_calls
  RENAME CONSTRAINT emergency_contact_calls_episode_id_fkey
  TO emergency_contact_calls_emergency_id_fkey;
ALTER INDEX data4help.emergency_contact_calls_episode_id_idx
  RENAME TO emergency_contact_calls_emergency_id_idx;

ALTER TABLE data4help.emergency_contacts RENAME COLUMN told_at TO notified_at;

ALTER TABLE data4help.emergency_contact_mails RENAME COLUMN episode_id TO emergency_id;
ALTER TABLE data4help.emergency_contact_mails
  RENAME CONSTRAINT emergency_contact_mails_episode_id_fkey
  TO emergency_contact_mails_emergency_id_fkey;
ALTER INDEX data4help.emergency_contact_mails_episode_id_idx
  RENAME TO emergency_contact_mails_emergency_id_idx;

ALTER TABLE track4run.audiences RENAME TO spectator_counts;
ALTER TABLE track4run.spectator_counts
  RENAME CONSTRAINT audiences_pkey TO spectator_counts_pkey;
ALTER TABLE track4run.spectator_counts
  RENAME CONSTRAINT audiences_run_id_fkey TO spectator_counts_run_id_fkey;
ALTER TABLE track4run.spectator_counts
  RENAME CONSTRAINT audiences_streams_check TO spectator_counts_streams_check;

ALTER TABLE track4run.duties RENAME TO leases;
ALTER TABLE track4run.leases RENAME COLUMN duty TO lease;
ALTER TABLE track4run.leases RENAME CONSTRAINT duties_pkey TO leases_pkey;
ALTER TABLE track4run.leases RENAME CONSTRAINT duties_held_check TO leases_held_check;

ALTER TABLE track4run.following RENAME TO change_feed_positions;
ALTER TABLE track4run.change_feed_positions
  RENAME CONSTRAINT following_pkey TO change_feed_positions_pkey;
ALTER TABLE track4run.change_feed_positions
  RENAME CONSTRAINT following_is_only_check TO change_feed_positions_is_only_check;

ALTER TABLE track4run.events_aside RENAME TO dead_letters;
ALTER TABLE track4run.dead_letters RENAME COLUMN behind TO after_number;
ALTER TABLE track4run.dead_letters RENAME COLUMN set_aside_at TO stored_at;
ALTER TABLE track4run.dead_letters RENAME CONSTRAINT events_aside_pkey TO dead_letters_pkey;
ALTER TABLE track4run.dead_letters
  RENAME CONSTRAINT events_aside_kind_check TO dead_letters_kind_check;
ALTER TABLE track4run.dead_letters
  RENAME CONSTRAINT events_aside_behind_check TO dead_letters_after_number_check;
ALTER INDEX track4run.events_aside_next_attempt_at_idx
  RENAME TO dead_letters_next_attempt_at_idx;
ALTER INDEX track4run.events_aside_request_id_idx RENAME TO dead_letters_request_id_idx;
