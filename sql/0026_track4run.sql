-- Runs from their creation to their results (R36-R52, RUN-1 to RUN-14): who organises them, the
-- path they follow, who is enrolled and has checked in, where the runners were and what came of it.
-- Accounts are numbers of Data4Help, of which nothing else is known here.

-- Of a server whose superuser made the extension already, nothing is made.
CREATE SCHEMA IF NOT EXISTS postgis;
CREATE EXTENSION IF NOT EXISTS postgis SCHEMA postgis;

-- Functions made by a role whose own start without rights are nobody's yet.
DO $$
BEGIN
  IF NOT has_function_privilege('track4run', 'postgis.st_geogfromwkb(bytea)', 'EXECUTE') THEN
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA postgis TO track4run;
  END IF;
END
$$;
GRANT USAGE ON SCHEMA postgis TO track4run;

ALTER TABLE track4run.runs
  ADD COLUMN description   text,                 -- NULL where nothing was said
  ADD COLUMN place         text,                 -- where it is, in words; NULL likewise
  ADD COLUMN enrol_until   timestamptz,
  ADD COLUMN last_number   integer NOT NULL DEFAULT 0, -- the last number that a runner got
  ADD COLUMN check_in_at   timestamptz,          -- when the requests began to be sent
  ADD COLUMN closed_at     timestamptz;          -- when the results became final
UPDATE track4run.runs SET enrol_until = starts_at;
ALTER TABLE track4run.runs
  ALTER COLUMN enrol_until SET NOT NULL,
  ADD CONSTRAINT runs_enrol_until_check CHECK (enrol_until <= starts_at),
  ADD CONSTRAINT runs_enrolled_check CHECK (enrolled BETWEEN 0 AND participants_max);

CREATE INDEX runs_organiser_id_idx ON track4run.runs (organiser_id, starts_at DESC, run_id);
-- What is still to be opened for check-in, and what is still to be closed.
CREATE INDEX runs_check_in_at_idx
  ON track4run.runs (starts_at) WHERE check_in_at IS NULL AND cancelled_at IS NULL;
CREATE INDEX runs_closed_at_idx
  ON track4run.runs (ends_at) WHERE closed_at IS NULL AND cancelled_at IS NULL;

-- The path as it was drawn, with the points exactly as they were given.
CREATE TABLE track4run.paths (
  run_id         bigint CONSTRAINT paths_pkey PRIMARY KEY
                 CONSTRAINT paths_run_id_fkey
                 REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  path           postgis.geography(LineString, 4326) NOT NULL,
  length_metres  float8 NOT NULL
                 CONSTRAINT paths_length_metres_check CHECK (length_metres BETWEEN 0 AND 500000)
);

CREATE INDEX paths_path_idx ON track4run.paths USING gist (path);

-- Third parties whom the organiser lets change, cancel and invite (RUN-2).
CREATE TABLE track4run.co_organisers (
  run_id          bigint NOT NULL
                  CONSTRAINT co_organisers_run_id_fkey
                  REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  third_party_id  bigint NOT NULL,
  named_at        timestamptz NOT NULL,
  CONSTRAINT co_organisers_pkey PRIMARY KEY (run_id, third_party_id)
);

CREATE INDEX co_organisers_third_party_id_idx ON track4run.co_organisers (third_party_id);

-- Who joined, under numbers that the run counts and gives nobody twice. Who leaves keeps the row:
-- what was accepted and delivered meanwhile belongs to it.
CREATE TABLE track4run.enrolments (
  run_id         bigint NOT NULL
                 CONSTRAINT enrolments_run_id_fkey
                 REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  number         integer NOT NULL CONSTRAINT enrolments_number_check CHECK (number > 0),
  account_id     bigint NOT NULL,
  sealed_name    bytea,                          -- the name chosen for the run, if one was
  shows_health   boolean NOT NULL,               -- to spectators (RUN-6)
  is_findable    boolean NOT NULL,               -- by who knows name, email or fiscal code (RUN-7)
  is_paused      boolean NOT NULL DEFAULT false, -- spectators see no position (RUN-12)
  joined_at      timestamptz NOT NULL,
  left_at        timestamptz,
  -- 1 the runner left, 2 not checked in by the start, 3 the account is gone
  left_reason    smallint
                 CONSTRAINT enrolments_left_reason_check CHECK (left_reason BETWEEN 1 AND 3),
  -- the check-in request: none sent yet, sent, accepted
  request_id     uuid CONSTRAINT enrolments_request_id_key UNIQUE,
  checked_in_at  timestamptz,
  CONSTRAINT enrolments_pkey PRIMARY KEY (run_id, number),
  CONSTRAINT enrolments_left_check CHECK ((left_at IS NULL) = (left_reason IS NULL)),
  CONSTRAINT enrolments_checked_in_check CHECK (checked_in_at IS NULL OR request_id IS NOT NULL)
) WITH (fillfactor = 80);

CREATE UNIQUE INDEX enrolments_account_id_key
  ON track4run.enrolments (account_id, run_id) WHERE left_at IS NULL;

-- Where the runners of a run were: packed and sealed stretches of fixes, one runner's each. The
-- number of the stream they came by tells a replica where to go on.
CREATE TABLE track4run.fix_blocks (
  run_id        bigint NOT NULL,
  number        integer NOT NULL,
  stream_seq    bigint NOT NULL,                 -- the last number of Data4Help's stream in it
  sealed_fixes  bytea NOT NULL,
  CONSTRAINT fix_blocks_pkey PRIMARY KEY (run_id, number, stream_seq),
  CONSTRAINT fix_blocks_number_fkey
    FOREIGN KEY (run_id, number) REFERENCES track4run.enrolments (run_id, number)
    ON DELETE CASCADE
);

-- What is final once a run is closed. A deleted account leaves it without a name.
CREATE TABLE track4run.results (
  run_id         bigint NOT NULL,
  number         integer NOT NULL,
  -- 1 finished, 2 did not finish, 3 did not start
  state          smallint NOT NULL CONSTRAINT results_state_check CHECK (state BETWEEN 1 AND 3),
  place          integer CONSTRAINT results_place_check CHECK (place > 0),
  metres         float8 NOT NULL,
  finished_at    timestamptz,
  kilometres_at  bigint[] NOT NULL,              -- milliseconds since 1970, one a whole kilometre
  CONSTRAINT results_pkey PRIMARY KEY (run_id, number),
  CONSTRAINT results_number_fkey
    FOREIGN KEY (run_id, number) REFERENCES track4run.enrolments (run_id, number)
    ON DELETE CASCADE,
  CONSTRAINT results_finished_check CHECK ((state = 1) = (finished_at IS NOT NULL)),
  CONSTRAINT results_started_check CHECK ((state = 3) = (place IS NULL))
);

CREATE INDEX results_place_idx ON track4run.results (run_id, place);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON track4run.paths, track4run.co_organisers, track4run.enrolments, track4run.fix_blocks,
     track4run.results
  TO track4run;
