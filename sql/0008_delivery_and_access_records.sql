-- The delivery of data to third parties and its record (R21, ACC-8, REQ-2, REQ-5, NFR-4, NFR-6):
-- callbacks, revocations of deliveries in progress, and one entry for each access by others to
-- personal data.

-- A callback reads the log of the third party from the last acknowledged number on. The lease makes
-- one replica at a time call a third party, so that calls are in sequence.
CREATE TABLE data4help.callbacks (
  third_party_id          bigint CONSTRAINT callbacks_pkey PRIMARY KEY
                          CONSTRAINT callbacks_third_party_id_fkey
                          REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  sealed_url              bytea NOT NULL,
  sealed_secret           bytea NOT NULL,
  registered_at           timestamptz NOT NULL,
  acknowledged            bigint NOT NULL,
  attempts                integer NOT NULL DEFAULT 0,
  next_attempt_at         timestamptz NOT NULL,
  lease                   bigint NOT NULL DEFAULT 0,
  leased_until            timestamptz,
  off_reason              smallint
                          CONSTRAINT callbacks_off_reason_check CHECK (off_reason IN (1, 2)),
  leased_by               uuid,
  sealed_previous_secret  bytea,
  previous_until          timestamptz,
  CONSTRAINT callbacks_previous_until_check
    CHECK ((sealed_previous_secret IS NULL) = (previous_until IS NULL))
) WITH (fillfactor = 50);
COMMENT ON TABLE data4help.callbacks IS 'Callbacks of third parties (REQ-2)';
COMMENT ON COLUMN data4help.callbacks.sealed_url IS
  'Sealed with the key of the third party: the URL as text';
COMMENT ON COLUMN data4help.callbacks.sealed_secret IS
  'Sealed with the key of the third party: the secret that signs calls as text';
COMMENT ON COLUMN data4help.callbacks.acknowledged IS
  'Last number of third_party_log that the endpoint has acknowledged';
COMMENT ON COLUMN data4help.callbacks.attempts IS 'Failed attempts since then';
COMMENT ON COLUMN data4help.callbacks.lease IS
  'Increases with each lease, so that an ended lease cannot write';
COMMENT ON COLUMN data4help.callbacks.leased_until IS 'NULL without a lease';
COMMENT ON COLUMN data4help.callbacks.off_reason IS
  '1 ten failed attempts, 2 the endpoint answered 410; NULL for an active callback';
COMMENT ON COLUMN data4help.callbacks.leased_by IS
  'Replica in delivering_replicas: the lease ends with that of the replica, 5 s after a crash';
COMMENT ON COLUMN data4help.callbacks.sealed_previous_secret IS
  'Sealed as sealed_secret: the previous secret, which signs too until previous_until';
COMMENT ON COLUMN data4help.callbacks.previous_until IS 'NULL without a previous secret';

CREATE INDEX callbacks_next_attempt_at_idx
  ON data4help.callbacks (next_attempt_at) WHERE off_reason IS NULL;

CREATE TABLE data4help.callback_calls (
  third_party_id   bigint NOT NULL
                   CONSTRAINT callback_calls_third_party_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  call_id          uuid NOT NULL,
  number           bigint,
  called_at        timestamptz NOT NULL,
  status           smallint,
  error            smallint,
  next_attempt_at  timestamptz,
  CONSTRAINT callback_calls_pkey PRIMARY KEY (third_party_id, call_id)
);
COMMENT ON TABLE data4help.callback_calls IS 'The log of calls of callbacks';
COMMENT ON COLUMN data4help.callback_calls.call_id IS 'Ordered by time';
COMMENT ON COLUMN data4help.callback_calls.number IS
  'Number of third_party_log; NULL for a test call';
COMMENT ON COLUMN data4help.callback_calls.status IS 'HTTP status; NULL without an answer';
COMMENT ON COLUMN data4help.callback_calls.error IS
  '1 status, 2 address not allowed, 3 unknown host, 4 no connection, 5 certificate, 6 time-out, '
  '7 malformed answer, 8 interrupted; NULL for an acknowledged call';
COMMENT ON COLUMN data4help.callback_calls.next_attempt_at IS 'NULL without a further attempt';

CREATE INDEX callback_calls_called_at_idx ON data4help.callback_calls (called_at);

-- Deliveries in progress are revoked before the end of a request is answered (R21, ACC-8): each
-- process that delivers data has a row, which it renews as it reads revocations, and an end waits
-- for all rows that are not expired.
CREATE TABLE data4help.recall_clock (
  is_only  boolean DEFAULT true CONSTRAINT recall_clock_pkey PRIMARY KEY
           CONSTRAINT recall_clock_is_only_check CHECK (is_only),
  number   bigint NOT NULL
);
COMMENT ON TABLE data4help.recall_clock IS 'The counter of revocations: one row';
COMMENT ON COLUMN data4help.recall_clock.is_only IS 'Always true: limits the table to one row';
COMMENT ON COLUMN data4help.recall_clock.number IS 'Number of the last revocation';

INSERT INTO data4help.recall_clock (number) VALUES (0);

CREATE TABLE data4help.recalls (
  number      bigint NOT NULL,
  request_id  uuid,
  made_at     timestamptz NOT NULL,
  account_id  bigint,
  CONSTRAINT recalls_request_id_check CHECK (num_nonnulls(request_id, account_id) = 1)
);
COMMENT ON TABLE data4help.recalls IS 'Revoked requests and accounts';
COMMENT ON COLUMN data4help.recalls.number IS
  'From recall_clock; several rows of one transaction share a number';
COMMENT ON COLUMN data4help.recalls.request_id IS
  'The request whose deliveries end; NULL for an account';
COMMENT ON COLUMN data4help.recalls.account_id IS
  'The account whose mails are not sent; NULL for a request';

CREATE INDEX recalls_made_at_idx ON data4help.recalls (made_at);
CREATE INDEX recalls_number_idx ON data4help.recalls (number);

CREATE TABLE data4help.delivering_replicas (
  replica_id   uuid CONSTRAINT delivering_replicas_pkey PRIMARY KEY,
  seen         bigint NOT NULL,
  alive_until  timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE data4help.delivering_replicas IS 'Processes that deliver data';
COMMENT ON COLUMN data4help.delivering_replicas.seen IS
  'Up to this number of recalls the process has no revoked delivery in progress';

-- Entries are numbered and chained for each person by an HMAC under a key outside the database.
-- Last links and lengths are anchored in the key database, so that the table can be neither
-- rewritten nor truncated unnoticed.
CREATE TABLE data4help.access_heads (
  account_id      bigint CONSTRAINT access_heads_pkey PRIMARY KEY,
  count           bigint NOT NULL,
  head            bytea NOT NULL,
  anchored_count  bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
COMMENT ON TABLE data4help.access_heads IS 'The end of the record of accesses of a person';
COMMENT ON COLUMN data4help.access_heads.count IS 'Number of the last entry';
COMMENT ON COLUMN data4help.access_heads.head IS
  'Link of the last entry: HMAC-SHA256 over the previous link and the entry';
COMMENT ON COLUMN data4help.access_heads.anchored_count IS
  'The count in the key database, as the anchoring worker last wrote it';

CREATE INDEX access_heads_anchored_count_idx
  ON data4help.access_heads (account_id) WHERE anchored_count < count;

CREATE TABLE data4help.accesses (
  account_id      bigint NOT NULL,
  number          bigint NOT NULL,
  third_party_id  bigint NOT NULL,
  request_id      uuid,
  accessed_at     timestamptz NOT NULL,
  format          smallint NOT NULL
                  CONSTRAINT accesses_format_check CHECK (format BETWEEN 1 AND 12),
  types           bigint NOT NULL,
  first_seq       bigint NOT NULL,
  last_seq        bigint NOT NULL,
  n               integer NOT NULL,
  chain           bytea NOT NULL,
  CONSTRAINT accesses_pkey PRIMARY KEY (account_id, number)
);
COMMENT ON TABLE data4help.accesses IS
  'The record of accesses by others to personal data (REQ-5, NFR-6): one entry for each delivery';
COMMENT ON COLUMN data4help.accesses.account_id IS 'The person whose data was delivered';
COMMENT ON COLUMN data4help.accesses.number IS 'Within the account, from 1 without a gap';
COMMENT ON COLUMN data4help.accesses.third_party_id IS
  'The recipient; 0 for one without an account, such as an emergency contact';
COMMENT ON COLUMN data4help.accesses.request_id IS
  'The request; in an emergency the emergency, or the mail or call to a contact; NULL for none';
COMMENT ON COLUMN data4help.accesses.format IS
  '1 JSON, 2 CSV, 3 stream, 4 read by number, 5 callback, 6 NDJSON, 7 FHIR bundle, 8 mail, '
  '9 track of a run (GPX), 10 name and email of a runner, 11 spoken in a call, 12 acknowledged';
COMMENT ON COLUMN data4help.accesses.types IS
  'Delivered data types: bit n is the type with storage code n';
COMMENT ON COLUMN data4help.accesses.first_seq IS
  'Number of the first sample in the log of the third party; 0 for none';
COMMENT ON COLUMN data4help.accesses.last_seq IS
  'Number of the last sample in the log of the third party; 0 for none';
COMMENT ON COLUMN data4help.accesses.n IS 'Number of samples';
COMMENT ON COLUMN data4help.accesses.chain IS
  'Link of the entry: HMAC-SHA256 over the previous link and the entry';

CREATE INDEX accesses_account_id_accessed_at_idx
  ON data4help.accesses (account_id, accessed_at);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.callbacks, data4help.callback_calls, data4help.delivering_replicas TO data4help;
GRANT SELECT, UPDATE ON data4help.recall_clock TO data4help;
GRANT SELECT, INSERT, DELETE ON data4help.recalls TO data4help;
GRANT SELECT, INSERT, UPDATE ON data4help.access_heads TO data4help;
GRANT SELECT, INSERT ON data4help.accesses TO data4help;
