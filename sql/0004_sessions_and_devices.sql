-- Sessions, keys of programs and devices (ACC-7, ACC-8, ACC-10, DAT-3, GW-3). Tokens of all three
-- are sessions, so that gateways follow one table. Every change of a session receives the next
-- number of one counter row, which stays locked until the commit: numbers are in commit order, so a
-- gateway that remembers the last number it read misses no change.

CREATE TABLE data4help.session_clock (
  is_only  boolean DEFAULT true CONSTRAINT session_clock_pkey PRIMARY KEY
           CONSTRAINT session_clock_is_only_check CHECK (is_only),
  change   bigint NOT NULL
);
COMMENT ON TABLE data4help.session_clock IS 'The counter of changes of sessions: one row';
COMMENT ON COLUMN data4help.session_clock.is_only IS 'Always true: limits the table to one row';
COMMENT ON COLUMN data4help.session_clock.change IS 'Number of the last change';

INSERT INTO data4help.session_clock (change) VALUES (0);

-- Sessions of a deleted account remain, ended and without account, until the gateways have read the
-- change.
CREATE TABLE data4help.sessions (
  token_hash    bytea CONSTRAINT sessions_pkey PRIMARY KEY,
  account_id    bigint
                CONSTRAINT sessions_account_id_fkey
                REFERENCES data4help.accounts (account_id) ON DELETE SET NULL,
  kind          smallint NOT NULL CONSTRAINT sessions_kind_check CHECK (kind IN (1, 2)),
  started_at    timestamptz NOT NULL,
  last_used_at  timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  ended_at      timestamptz,
  change        bigint NOT NULL CONSTRAINT sessions_change_key UNIQUE,
  bearer        smallint NOT NULL DEFAULT 1
                CONSTRAINT sessions_bearer_check CHECK (bearer IN (1, 2, 3)),
  device        integer,
  CONSTRAINT sessions_device_check CHECK ((bearer = 3) = (device IS NOT NULL))
) WITH (fillfactor = 70);
COMMENT ON TABLE data4help.sessions IS 'Tokens of logins, programs and devices';
COMMENT ON COLUMN data4help.sessions.token_hash IS 'SHA-256 of the random part of the token';
COMMENT ON COLUMN data4help.sessions.account_id IS 'NULL for a deleted account';
COMMENT ON COLUMN data4help.sessions.kind IS 'Of the account: 1 single user, 2 third party';
COMMENT ON COLUMN data4help.sessions.last_used_at IS 'Written by the gateways';
COMMENT ON COLUMN data4help.sessions.ended_at IS 'NULL for an open session';
COMMENT ON COLUMN data4help.sessions.change IS
  'Number of the last change of the row, from session_clock';
COMMENT ON COLUMN data4help.sessions.bearer IS
  '1 a login, 2 a program by its key, 3 a device; an account has one open login at most';
COMMENT ON COLUMN data4help.sessions.device IS
  'Number of the device within the account; NULL for other bearers';

CREATE INDEX sessions_ended_at_idx ON data4help.sessions (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX sessions_account_id_open_key
  ON data4help.sessions (account_id) WHERE ended_at IS NULL AND bearer = 1;
CREATE INDEX sessions_account_id_idx ON data4help.sessions (account_id);

CREATE TABLE data4help.program_keys (
  account_id   bigint NOT NULL
               CONSTRAINT program_keys_account_id_fkey
               REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  key_id       uuid NOT NULL,
  sealed_name  bytea NOT NULL,
  token_hash   bytea NOT NULL,
  created_at   timestamptz NOT NULL,
  CONSTRAINT program_keys_pkey PRIMARY KEY (account_id, key_id)
);
COMMENT ON TABLE data4help.program_keys IS 'Keys for programs of third parties (ACC-10)';
COMMENT ON COLUMN data4help.program_keys.sealed_name IS
  'Sealed with the key of the account: the name of the program as text';
COMMENT ON COLUMN data4help.program_keys.token_hash IS 'The token_hash of its session';

-- Samples refer to devices by these numbers, so no number is assigned twice: a removed device keeps
-- its row, without its description.
CREATE TABLE data4help.devices (
  account_id          bigint NOT NULL
                      CONSTRAINT devices_account_id_fkey
                      REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  number              integer NOT NULL CONSTRAINT devices_number_check CHECK (number > 0),
  types               bigint NOT NULL,
  sealed_description  bytea,
  token_hash          bytea,
  paired_at           timestamptz NOT NULL,
  CONSTRAINT devices_pkey PRIMARY KEY (account_id, number)
);
COMMENT ON TABLE data4help.devices IS 'Paired devices of single users (DAT-3)';
COMMENT ON COLUMN data4help.devices.number IS 'Within the account, from 1; never assigned twice';
COMMENT ON COLUMN data4help.devices.types IS
  'Data types that it was paired for: bit n is the type with storage code n';
COMMENT ON COLUMN data4help.devices.sealed_description IS
  'Sealed with the key of the account: name and model as JSON; NULL for a removed device';
COMMENT ON COLUMN data4help.devices.token_hash IS
  'The token_hash of its session; NULL before the device has fetched its token';

-- A pairing lasts ten minutes. No two open pairings have the same code.
CREATE TABLE data4help.pairings (
  code_blind          bytea CONSTRAINT pairings_pkey PRIMARY KEY,
  pairing_id          uuid NOT NULL CONSTRAINT pairings_pairing_id_key UNIQUE,
  secret_hash         bytea NOT NULL,
  sealed_description  bytea NOT NULL,
  types               bigint NOT NULL,
  expires_at          timestamptz NOT NULL,
  account_id          bigint
                      CONSTRAINT pairings_account_id_fkey
                      REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  device              integer,
  is_finished         boolean NOT NULL DEFAULT false,
  holder              bytea NOT NULL DEFAULT '',
  CONSTRAINT pairings_confirmed_check CHECK ((account_id IS NULL) = (device IS NULL))
);
COMMENT ON TABLE data4help.pairings IS 'Devices whose code an account has yet to confirm';
COMMENT ON COLUMN data4help.pairings.code_blind IS 'Keyed hash of the code that the device shows';
COMMENT ON COLUMN data4help.pairings.secret_hash IS
  'SHA-256 of the secret with which the device fetches its token';
COMMENT ON COLUMN data4help.pairings.sealed_description IS
  'Sealed with a server key, since there is no account yet: name and model as JSON';
COMMENT ON COLUMN data4help.pairings.types IS
  'Data types of the device: bit n is the type with storage code n';
COMMENT ON COLUMN data4help.pairings.account_id IS
  'The account that has entered the code; NULL before';
COMMENT ON COLUMN data4help.pairings.device IS
  'Number of the device within the account; NULL before the code is entered';
COMMENT ON COLUMN data4help.pairings.is_finished IS 'Whether the device has fetched its token';
COMMENT ON COLUMN data4help.pairings.holder IS
  'Keyed hash of the network of the device: many codes of one network replace only its own';

CREATE INDEX pairings_expires_at_idx ON data4help.pairings (expires_at);
CREATE INDEX pairings_account_id_idx ON data4help.pairings (account_id);

CREATE TABLE data4help.pairing_tries (
  account_id  bigint CONSTRAINT pairing_tries_pkey PRIMARY KEY
              CONSTRAINT pairing_tries_account_id_fkey
              REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  wrong       integer NOT NULL,
  first_at    timestamptz NOT NULL
);
COMMENT ON TABLE data4help.pairing_tries IS 'Wrong codes that an account has entered';
COMMENT ON COLUMN data4help.pairing_tries.wrong IS 'Number of wrong codes since first_at';

GRANT SELECT, UPDATE ON data4help.session_clock TO data4help;
GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.sessions, data4help.program_keys, data4help.devices, data4help.pairings,
     data4help.pairing_tries
  TO data4help;

-- The gateway follows the changes and writes when a session was last used.
GRANT SELECT, UPDATE (last_used_at) ON data4help.sessions TO gateway;
