-- Devices, and keys for programs of third parties (DAT-3, ACC-10). Their tokens stand among the
-- sessions, so that the gateways follow one table of changes (GW-3); what people called them stands
-- here, sealed.

-- 1 who logged in, 2 a program by its key, 3 a device; one open login an account as before.
ALTER TABLE data4help.sessions
  ADD COLUMN bearer smallint NOT NULL DEFAULT 1
      CONSTRAINT sessions_bearer_check CHECK (bearer IN (1, 2, 3)),
  ADD COLUMN device integer,
  ADD CONSTRAINT sessions_device_check CHECK ((bearer = 3) = (device IS NOT NULL));

DROP INDEX data4help.sessions_account_id_open_key;
CREATE UNIQUE INDEX sessions_account_id_open_key
  ON data4help.sessions (account_id) WHERE ended_at IS NULL AND bearer = 1;

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

-- Samples name devices by these numbers, so a number is never given twice: what was removed keeps
-- its row, without what it was called.
CREATE TABLE data4help.devices (
  account_id          bigint NOT NULL
                      CONSTRAINT devices_account_id_fkey
                      REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  number              integer NOT NULL CONSTRAINT devices_number_check CHECK (number > 0),
  types               bigint NOT NULL,               -- a bit a data type, by its storage code
  sealed_description  bytea,                         -- null once it was removed
  token_hash          bytea,                         -- null until the device took its token
  paired_at           timestamptz NOT NULL,
  CONSTRAINT devices_pkey PRIMARY KEY (account_id, number)
);

-- Devices that wait for their code to be typed, ten minutes each. The code stands as a blind value,
-- and no two that wait have the same.
CREATE TABLE data4help.pairings (
  code_blind          bytea CONSTRAINT pairings_pkey PRIMARY KEY,
  pairing_id          uuid NOT NULL CONSTRAINT pairings_pairing_id_key UNIQUE,
  secret_hash         bytea NOT NULL,
  sealed_description  bytea NOT NULL,                -- under a key of the server's
  types               bigint NOT NULL,
  expires_at          timestamptz NOT NULL,
  account_id          bigint
                      CONSTRAINT pairings_account_id_fkey
                      REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  device              integer,                       -- the account's number of it, once confirmed
  is_finished         boolean NOT NULL DEFAULT false,
  CONSTRAINT pairings_confirmed_check CHECK ((account_id IS NULL) = (device IS NULL))
);

CREATE INDEX pairings_expires_at_idx ON data4help.pairings (expires_at);
CREATE INDEX pairings_account_id_idx ON data4help.pairings (account_id);

-- Codes that an account typed and no device showed.
CREATE TABLE data4help.pairing_tries (
  account_id  bigint CONSTRAINT pairing_tries_pkey PRIMARY KEY
              CONSTRAINT pairing_tries_account_id_fkey
              REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  wrong       integer NOT NULL,
  first_at    timestamptz NOT NULL
);

-- Which device provides a data type: five bytes each, the type's storage code and the device.
ALTER TABLE data4help.sample_accounts ADD COLUMN assigned_types bytea NOT NULL DEFAULT '';

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.program_keys, data4help.devices, data4help.pairings, data4help.pairing_tries
  TO data4help;
