-- Track4Run's side of the protocol with Data4Help: what it orders there, written in the transaction
-- of what causes it (R39 to R42, R49, RUN-2, RUN-13), and how far it has read its sequence (ACC-8).

CREATE TABLE track4run.outbox (
  order_id         uuid CONSTRAINT outbox_pkey PRIMARY KEY, -- also its Idempotency-Key
  number           bigint GENERATED ALWAYS AS IDENTITY,     -- in the order of writing
  -- 1 check-ins to ask for, 2 check-ins to take back, 3 a notice, 4 a mail
  kind             smallint NOT NULL CONSTRAINT outbox_kind_check CHECK (kind BETWEEN 1 AND 4),
  run_id           bigint,                       -- of check-ins to ask for
  sealed_order     bytea NOT NULL,               -- by a server key
  added_at         timestamptz NOT NULL,
  attempts         integer NOT NULL DEFAULT 0,   -- in vain, while Data4Help was there
  next_attempt_at  timestamptz NOT NULL,
  refused_at       timestamptz,                  -- set aside: never sent again
  CONSTRAINT outbox_run_id_check CHECK ((kind = 1) = (run_id IS NOT NULL))
) WITH (fillfactor = 80);

CREATE INDEX outbox_number_idx ON track4run.outbox (number) WHERE refused_at IS NULL;

-- What one process of all replicas does at a time: 1 the conversation with Data4Help.
CREATE TABLE track4run.duties (
  duty        smallint CONSTRAINT duties_pkey PRIMARY KEY,
  holder_id   uuid,
  held_until  timestamptz,
  CONSTRAINT duties_held_check CHECK ((holder_id IS NULL) = (held_until IS NULL))
) WITH (fillfactor = 50);

INSERT INTO track4run.duties (duty) VALUES (1);

-- The last number of Data4Help's sequence whose effect is stored.
CREATE TABLE track4run.following (
  is_only      boolean DEFAULT true CONSTRAINT following_pkey PRIMARY KEY
               CONSTRAINT following_is_only_check CHECK (is_only),
  last_number  bigint NOT NULL
) WITH (fillfactor = 50);

INSERT INTO track4run.following (last_number) VALUES (0);

-- Each time a runner is asked, the request has another identifier. The account of a runner who is
-- gone is the enrolment's number below zero, which is no account's.
ALTER TABLE track4run.enrolments
  ADD COLUMN check_in_attempts integer NOT NULL DEFAULT 0;
-- All enrolments of an account, also those that are over, when it is deleted.
CREATE INDEX enrolments_account_id_idx ON track4run.enrolments (account_id);

-- When who had not checked in was removed (R49).
ALTER TABLE track4run.runs
  ADD COLUMN start_handled_at timestamptz;
UPDATE track4run.runs SET start_handled_at = now() WHERE starts_at <= now();

CREATE INDEX runs_start_handled_at_idx
  ON track4run.runs (starts_at) WHERE start_handled_at IS NULL AND cancelled_at IS NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.outbox TO track4run;
GRANT SELECT, UPDATE ON track4run.duties, track4run.following TO track4run;
