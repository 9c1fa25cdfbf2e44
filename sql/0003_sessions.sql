-- Sessions (ACC-7, GW-3). Every change of a session takes the next number of one counter row, whose
-- lock is held to the commit: the numbers are in commit order, so a gateway that remembers the last
-- number it saw misses none. Tokens stand as SHA-256 only.

CREATE TABLE data4help.session_clock (
  is_only  boolean DEFAULT true CONSTRAINT session_clock_pkey PRIMARY KEY
           CONSTRAINT session_clock_is_only_check CHECK (is_only),
  change   bigint NOT NULL
);

INSERT INTO data4help.session_clock (change) VALUES (0);

CREATE TABLE data4help.sessions (
  token_hash    bytea CONSTRAINT sessions_pkey PRIMARY KEY,
  account_id    bigint NOT NULL
                CONSTRAINT sessions_account_id_fkey
                REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  kind          smallint NOT NULL CONSTRAINT sessions_kind_check CHECK (kind IN (1, 2)),
  started_at    timestamptz NOT NULL,
  last_used_at  timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  ended_at      timestamptz,
  change        bigint NOT NULL CONSTRAINT sessions_change_key UNIQUE
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX sessions_account_id_open_key
  ON data4help.sessions (account_id) WHERE ended_at IS NULL;
CREATE INDEX sessions_ended_at_idx ON data4help.sessions (ended_at) WHERE ended_at IS NOT NULL;

GRANT SELECT, UPDATE ON data4help.session_clock TO data4help;
GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.sessions TO data4help;

-- The gateway follows the changes and notes when a session was last used; nothing else is its.
GRANT USAGE ON SCHEMA data4help TO gateway;
GRANT SELECT, UPDATE (last_used_at) ON data4help.sessions TO gateway;
