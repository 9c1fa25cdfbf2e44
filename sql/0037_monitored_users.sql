-- Who is monitored by AutomatedSOS (R33, R34, SOS-1, SOS-6, SOS-9). Thresholds stand in clear under
-- the pseudonymous number, as birth dates do: every replica holds those of everybody in memory and
-- could not open a million seals at its start. Emergency contacts are other people's names and
-- addresses, and are sealed with the account's key.

-- One row: its update gives changes their numbers in the order of commits, so that a replica that
-- remembers the last number misses none.
CREATE TABLE data4help.monitoring_clock (
  is_only  boolean DEFAULT true CONSTRAINT monitoring_clock_pkey PRIMARY KEY
           CONSTRAINT monitoring_clock_is_only_check CHECK (is_only),
  change   bigint NOT NULL
);

INSERT INTO data4help.monitoring_clock (change) VALUES (0);

CREATE TABLE data4help.monitored_users (
  account_id       bigint CONSTRAINT monitored_users_pkey PRIMARY KEY
                   CONSTRAINT monitored_users_account_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  change           bigint NOT NULL CONSTRAINT monitored_users_change_key UNIQUE,
  permitted_at     timestamptz,                  -- calls, by the person; null while switched off
  language         text NOT NULL DEFAULT 'it'
                   CONSTRAINT monitored_users_language_check CHECK (language IN ('it', 'en')),
  heart_rate_low   float8,                       -- null: as the age has it
  heart_rate_high  float8,
  systolic_low     float8,
  systolic_high    float8,
  diastolic_high   float8,
  paused_until     timestamptz,
  sealed_contacts  bytea
) WITH (fillfactor = 70);

GRANT SELECT, UPDATE ON data4help.monitoring_clock TO data4help;
GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.monitored_users TO data4help;
