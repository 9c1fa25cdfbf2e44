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

CREATE INDEX callback_calls_called_at_idx ON data4help.callback_calls (called_at);

-- Deliveries in progress are revoked before the end of a request is answered (R21, ACC-8): each
-- process that delivers data has a row, which it renews as it reads revocations, and an end waits
-- for all rows that are not expired.
CREATE TABLE data4help.recall_clock (
  is_only  boolean DEFAULT true CONSTRAINT recall_clock_pkey PRIMARY KEY
           CONSTRAINT recall_clock_is_only_check CHECK (is_only),
  number   bigint NOT NULL
);

INSERT INTO data4help.recall_clock (number) VALUES (0);

CREATE TABLE data4help.recalls (
  number      bigint NOT NULL,
  request_id  uuid,
  made_at     timestamptz NOT NULL,
  account_id  bigint,
  CONSTRAINT recalls_request_id_check CHECK (num_nonnulls(request_id, account_id) = 1)
);

CREATE INDEX recalls_made_at_idx ON data4help.recalls (made_at);
CREATE INDEX recalls_number_idx ON data4help.recalls (number);

CREATE TABLE data4help.delivering_replicas (
  replica_id   uuid CONSTRAINT delivering_replicas_pkey PRIMARY KEY,
  seen         bigint NOT NULL,
  alive_until  timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Entries are numbered and chained for each person by an HMAC under a key outside the database.
-- Last links and lengths are anchored in the key database, so that the table can be neither
-- rewritten nor truncated unnoticed.
CREATE TABLE data4help.access_heads (
  account_id      bigint CONSTRAINT access_heads_pkey PRIMARY KEY,
  count           bigint NOT NULL,
  head            bytea NOT NULL,
  anchored_count  bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

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

CREATE INDEX accesses_account_id_accessed_at_idx
  ON data4help.accesses (account_id, accessed_at);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.callbacks, data4help.callback_calls, data4help.delivering_replicas TO data4help;
GRANT SELECT, UPDATE ON data4help.recall_clock TO data4help;
GRANT SELECT, INSERT, DELETE ON data4help.recalls TO data4help;
GRANT SELECT, INSERT, UPDATE ON data4help.access_heads TO data4help;
GRANT SELECT, INSERT ON data4help.accesses TO data4help;
