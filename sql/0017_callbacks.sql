-- Callbacks: where third parties are called, how far they have acknowledged, and the log of calls
-- (REQ-2). A callback walks the third party's own log from the number acknowledged last; who calls
-- holds a lease, so that each third party is called by one replica at a time, in sequence.

CREATE TABLE data4help.callbacks (
  third_party_id   bigint CONSTRAINT callbacks_pkey PRIMARY KEY
                   CONSTRAINT callbacks_third_party_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  sealed_url       bytea NOT NULL,               -- by the third party's key
  sealed_secret    bytea NOT NULL,
  registered_at    timestamptz NOT NULL,
  acknowledged     bigint NOT NULL,              -- the last number that was taken
  attempts         integer NOT NULL DEFAULT 0,   -- in vain, since then
  next_attempt_at  timestamptz NOT NULL,
  lease            bigint NOT NULL DEFAULT 0,    -- counts who has taken it on
  leased_until     timestamptz,
  -- 1 ten attempts in vain, 2 the endpoint is gone (410); null while it is called
  off_reason       smallint
                   CONSTRAINT callbacks_off_reason_check CHECK (off_reason IN (1, 2))
) WITH (fillfactor = 50);

CREATE INDEX callbacks_next_attempt_at_idx
  ON data4help.callbacks (next_attempt_at) WHERE off_reason IS NULL;

CREATE TABLE data4help.callback_calls (
  third_party_id   bigint NOT NULL
                   CONSTRAINT callback_calls_third_party_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  call_id          uuid NOT NULL,                -- sorts by time
  number           bigint,                       -- null for a test
  called_at        timestamptz NOT NULL,
  status           smallint,                     -- null without an answer
  -- 1 status, 2 address, 3 name, 4 connection, 5 certificate, 6 time, 7 answer; null when taken
  error            smallint,
  next_attempt_at  timestamptz,
  CONSTRAINT callback_calls_pkey PRIMARY KEY (third_party_id, call_id)
);

CREATE INDEX callback_calls_called_at_idx ON data4help.callback_calls (called_at);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.callbacks, data4help.callback_calls TO data4help;

-- What is under way of a request is called back before the user's end is answered (R21, ACC-8):
-- each process that hands out data has a row, renewed as it follows; ends wait for those that live.
CREATE TABLE data4help.recall_clock (
  is_only  boolean DEFAULT true CONSTRAINT recall_clock_pkey PRIMARY KEY
           CONSTRAINT recall_clock_is_only_check CHECK (is_only),
  number   bigint NOT NULL
);

INSERT INTO data4help.recall_clock (number) VALUES (0);

CREATE TABLE data4help.recalls (
  number      bigint NOT NULL,
  request_id  uuid NOT NULL,
  made_at     timestamptz NOT NULL,
  CONSTRAINT recalls_pkey PRIMARY KEY (number, request_id)
);

CREATE INDEX recalls_made_at_idx ON data4help.recalls (made_at);

CREATE TABLE data4help.delivering_replicas (
  replica_id   uuid CONSTRAINT delivering_replicas_pkey PRIMARY KEY,
  seen         bigint NOT NULL,                  -- up to this recall nothing is under way
  alive_until  timestamptz NOT NULL
) WITH (fillfactor = 50);

GRANT SELECT, UPDATE ON data4help.recall_clock TO data4help;
GRANT SELECT, INSERT, DELETE ON data4help.recalls TO data4help;
GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.delivering_replicas TO data4help;
