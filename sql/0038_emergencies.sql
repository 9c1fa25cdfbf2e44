-- Emergencies of monitored people, and the hospitals that answer them (R35, SOS-2 to SOS-9,
-- SOS-12). The row of an emergency is its state: every stage ends by a conditional update of it,
-- whichever replica comes first. Readings, position and what a hospital is told are sealed with the
-- person's key, and go with the account.

CREATE TABLE data4help.emergencies (
  episode_id       uuid CONSTRAINT emergencies_pkey PRIMARY KEY,
  account_id       bigint NOT NULL
                   CONSTRAINT emergencies_account_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  -- 1, 2 heart rate low, high; 3, 4 blood pressure low, high; 5 a fall; 6 shaking; 0 a drill
  rule             smallint NOT NULL
                   CONSTRAINT emergencies_rule_check CHECK (rule BETWEEN 0 AND 6),
  -- 1 suspected, 2 asked, 3 confirmed, 4 dispatched, 5 acknowledged, 6 closed by the hospital,
  -- 7 withdrawn, 8 aborted, 9 false alarm, 10 drill over, 11 nobody answered
  stage            smallint NOT NULL
                   CONSTRAINT emergencies_stage_check CHECK (stage BETWEEN 1 AND 11),
  first_critical   bigint NOT NULL,              -- by the device, milliseconds since 1970
  suspected_at     timestamptz NOT NULL,
  abort_until      timestamptz NOT NULL,
  due_at           timestamptz,                  -- when the stage ends by itself
  quiet_until      timestamptz,                  -- the rule raises no other one before
  followed_until   timestamptz NOT NULL,         -- replicas keep it in mind so long
  asked_at         timestamptz,
  confirmed_at     timestamptz,
  dispatched_at    timestamptz,
  acknowledged_at  timestamptz,
  ended_at         timestamptz,
  -- 1 helped, 2 nobody found, 3 false alarm, 4 handed over
  outcome          smallint CONSTRAINT emergencies_outcome_check CHECK (outcome BETWEEN 1 AND 4),
  sealed_details   bytea NOT NULL
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX emergencies_account_id_rule_key
  ON data4help.emergencies (account_id, rule) WHERE stage <= 3;
CREATE INDEX emergencies_account_id_idx
  ON data4help.emergencies (account_id, suspected_at DESC, episode_id DESC);
CREATE INDEX emergencies_due_at_idx ON data4help.emergencies (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX emergencies_followed_until_idx ON data4help.emergencies (followed_until);

-- Third parties that answer emergencies; where they stand is no secret.
CREATE TABLE data4help.hospitals (
  account_id    bigint CONSTRAINT hospitals_pkey PRIMARY KEY
                CONSTRAINT hospitals_account_id_fkey
                REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  approved_at   timestamptz,                     -- by the operator; null: not, or not any more
  is_on_duty    boolean NOT NULL DEFAULT false,
  latitude_e7   integer,                         -- ten-millionths of a degree
  longitude_e7  integer,
  changed_at    timestamptz NOT NULL,
  CONSTRAINT hospitals_position_check
    CHECK ((latitude_e7 IS NULL) = (longitude_e7 IS NULL)
      AND (NOT is_on_duty OR latitude_e7 IS NOT NULL))
);

-- Who was called for an emergency, in order; nobody's account: the emergency number, by voice.
CREATE TABLE data4help.emergency_calls (
  episode_id       uuid NOT NULL
                   CONSTRAINT emergency_calls_episode_id_fkey
                   REFERENCES data4help.emergencies (episode_id) ON DELETE CASCADE,
  number           integer NOT NULL,             -- from 1
  hospital_id      bigint
                   CONSTRAINT emergency_calls_hospital_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE SET NULL,
  is_voice         boolean NOT NULL,
  called_at        timestamptz NOT NULL,
  acknowledged_at  timestamptz,
  CONSTRAINT emergency_calls_pkey PRIMARY KEY (episode_id, number)
);

CREATE UNIQUE INDEX emergency_calls_hospital_id_key
  ON data4help.emergency_calls (hospital_id, episode_id) WHERE hospital_id IS NOT NULL;
CREATE INDEX emergency_calls_hospital_id_idx
  ON data4help.emergency_calls (hospital_id, called_at DESC, episode_id DESC)
  WHERE hospital_id IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.emergencies, data4help.hospitals, data4help.emergency_calls TO data4help;

-- 7 a hospital is called, 8 that call is over: request_id is the episode's then, and reason of 8
-- says why (1 false alarm, 2 another one has it, 3 closed, 4 nobody answered).
ALTER TABLE data4help.third_party_log
  DROP CONSTRAINT third_party_log_kind_check,
  ADD CONSTRAINT third_party_log_kind_check CHECK (kind BETWEEN 1 AND 8);

-- When a monitored person's readings were last heard, and that their silence was told (SOS-9).
ALTER TABLE data4help.monitored_users
  ADD COLUMN heard_at timestamptz,
  ADD COLUMN silence_told_at timestamptz;

CREATE INDEX monitored_users_heard_at_idx
  ON data4help.monitored_users (heard_at)
  WHERE permitted_at IS NOT NULL AND silence_told_at IS NULL;
