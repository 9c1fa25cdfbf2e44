-- Runs, their paths and their runners (R36-R43, R49, RUN-1 to RUN-4, RUN-7, RUN-9, RUN-10, RUN-14,
-- RUN-16). Accounts are numbers of Data4Help, and Track4Run stores nothing else of them but names
-- of organisers and chosen names of runners.

-- On a server whose superuser has created the extension, this creates nothing.
CREATE SCHEMA IF NOT EXISTS postgis;
CREATE EXTENSION IF NOT EXISTS postgis SCHEMA postgis;

-- Functions that a role without default rights created cannot be executed by track4run yet.
DO $$
BEGIN
  IF NOT has_function_privilege('track4run', 'postgis.st_geogfromwkb(bytea)', 'EXECUTE') THEN
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA postgis TO track4run;
  END IF;
END
$$;
GRANT USAGE ON SCHEMA postgis TO track4run;

CREATE TABLE track4run.runs (
  run_id            bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT runs_pkey PRIMARY KEY,
  organiser_id      bigint NOT NULL,
  organiser_name    text NOT NULL,
  name              text NOT NULL,
  starts_at         timestamptz NOT NULL,
  ends_at           timestamptz NOT NULL,
  participants_max  integer NOT NULL
                    CONSTRAINT runs_participants_max_check CHECK (participants_max >= 2),
  enrolled          integer NOT NULL DEFAULT 0,
  cancelled_at      timestamptz,
  description       text,
  place             text,
  enrol_until       timestamptz NOT NULL,
  last_number       integer NOT NULL DEFAULT 0,
  check_in_at       timestamptz,
  closed_at         timestamptz,
  start_handled_at  timestamptz,
  changes_day       integer,
  changes_count     integer NOT NULL DEFAULT 0
                    CONSTRAINT runs_changes_count_check CHECK (changes_count >= 0),
  clauses_version   integer,
  CONSTRAINT runs_ends_at_check CHECK (ends_at > starts_at),
  CONSTRAINT runs_enrol_until_check CHECK (enrol_until <= starts_at),
  CONSTRAINT runs_enrolled_check CHECK (enrolled BETWEEN 0 AND participants_max)
);

CREATE INDEX runs_starts_at_idx
  ON track4run.runs (starts_at DESC, run_id) WHERE cancelled_at IS NULL;
CREATE INDEX runs_organiser_id_idx ON track4run.runs (organiser_id, starts_at DESC, run_id);
-- Runs whose check-in is not open yet, and runs that are not closed yet.
CREATE INDEX runs_check_in_at_idx
  ON track4run.runs (starts_at) WHERE check_in_at IS NULL AND cancelled_at IS NULL;
CREATE INDEX runs_closed_at_idx
  ON track4run.runs (ends_at) WHERE closed_at IS NULL AND cancelled_at IS NULL;
-- Runs that are live or ended a short time ago.
CREATE INDEX runs_ends_at_idx ON track4run.runs (ends_at) WHERE cancelled_at IS NULL;
CREATE INDEX runs_start_handled_at_idx
  ON track4run.runs (starts_at) WHERE start_handled_at IS NULL AND cancelled_at IS NULL;

-- A run is listed (R43) once its path is published, which also assigns its code (RUN-4).
CREATE TABLE track4run.publications (
  run_id         bigint CONSTRAINT publications_pkey PRIMARY KEY
                 CONSTRAINT publications_run_id_fkey
                 REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  code           text NOT NULL CONSTRAINT publications_code_key UNIQUE,
  end_latitude   float8 NOT NULL,
  end_longitude  float8 NOT NULL,
  published_at   timestamptz NOT NULL
);

CREATE TABLE track4run.paths (
  run_id         bigint CONSTRAINT paths_pkey PRIMARY KEY
                 CONSTRAINT paths_run_id_fkey
                 REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  path           postgis.geography(LineString, 4326) NOT NULL,
  length_metres  float8 NOT NULL
                 CONSTRAINT paths_length_metres_check CHECK (length_metres BETWEEN 0 AND 500000)
);

CREATE INDEX paths_path_idx ON track4run.paths USING gist (path);

CREATE TABLE track4run.pictures (
  run_id     bigint CONSTRAINT pictures_pkey PRIMARY KEY
             CONSTRAINT pictures_run_id_fkey
             REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  kind       smallint NOT NULL CONSTRAINT pictures_kind_check CHECK (kind BETWEEN 1 AND 2),
  bytes      bytea NOT NULL
             CONSTRAINT pictures_bytes_check CHECK (octet_length(bytes) <= 4 * 1024 * 1024),
  digest     bytea NOT NULL
             CONSTRAINT pictures_digest_check CHECK (octet_length(digest) = 32),
  stored_at  timestamptz NOT NULL
);

-- A picture is already compressed.
ALTER TABLE track4run.pictures ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Names are those of Data4Help when the third party was added, so that lists show them also while
-- Data4Help is unavailable.
CREATE TABLE track4run.co_organisers (
  run_id          bigint NOT NULL
                  CONSTRAINT co_organisers_run_id_fkey
                  REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  third_party_id  bigint NOT NULL,
  named_at        timestamptz NOT NULL,
  name            text,
  CONSTRAINT co_organisers_pkey PRIMARY KEY (run_id, third_party_id)
);

CREATE INDEX co_organisers_third_party_id_idx ON track4run.co_organisers (third_party_id);

-- Every version is kept, since a runner may have accepted it.
CREATE TABLE track4run.clauses (
  run_id   bigint NOT NULL
           CONSTRAINT clauses_run_id_fkey
           REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  version  integer NOT NULL CONSTRAINT clauses_version_check CHECK (version > 0),
  text     text NOT NULL,
  made_at  timestamptz NOT NULL,
  CONSTRAINT clauses_pkey PRIMARY KEY (run_id, version)
);

-- A runner who leaves keeps the row: what was accepted and delivered meanwhile belongs to it.
CREATE TABLE track4run.enrolments (
  run_id               bigint NOT NULL
                       CONSTRAINT enrolments_run_id_fkey
                       REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  number               integer NOT NULL CONSTRAINT enrolments_number_check CHECK (number > 0),
  account_id           bigint NOT NULL,
  sealed_name          bytea,
  shows_health         boolean NOT NULL,
  is_findable          boolean NOT NULL,
  is_paused            boolean NOT NULL DEFAULT false,
  joined_at            timestamptz NOT NULL,
  left_at              timestamptz,
  left_reason          smallint
                       CONSTRAINT enrolments_left_reason_check
                       CHECK (left_reason BETWEEN 1 AND 5),
  request_id           uuid CONSTRAINT enrolments_request_id_key UNIQUE,
  checked_in_at        timestamptz,
  data_revision        integer NOT NULL DEFAULT 0,
  check_in_attempts    integer NOT NULL DEFAULT 0,
  shared_types         bigint,
  silent_since         timestamptz,
  keeps_name           boolean NOT NULL DEFAULT false,
  clauses_version      integer,
  clauses_accepted_at  timestamptz,
  is_findable_by_name  boolean NOT NULL DEFAULT false,
  CONSTRAINT enrolments_pkey PRIMARY KEY (run_id, number),
  CONSTRAINT enrolments_left_check CHECK ((left_at IS NULL) = (left_reason IS NULL)),
  CONSTRAINT enrolments_checked_in_check CHECK (checked_in_at IS NULL OR request_id IS NOT NULL),
  CONSTRAINT enrolments_clauses_check
    CHECK ((clauses_version IS NULL) = (clauses_accepted_at IS NULL))
) WITH (fillfactor = 80);

CREATE UNIQUE INDEX enrolments_account_id_key
  ON track4run.enrolments (account_id, run_id) WHERE left_at IS NULL;
-- All enrolments of an account, past ones included, when it is deleted.
CREATE INDEX enrolments_account_id_idx ON track4run.enrolments (account_id);

-- Each run is a row that stays and a mail to the organiser, so runs of a day are limited (R37).
CREATE TABLE track4run.runs_made (
  organiser_id  bigint CONSTRAINT runs_made_pkey PRIMARY KEY,
  day           integer NOT NULL,
  count         integer NOT NULL CONSTRAINT runs_made_count_check CHECK (count > 0)
);

-- An address receives one invitation for a run and few in a day, and an account sends few in a day
-- (RUN-10).
CREATE TABLE track4run.invitations (
  run_id         bigint NOT NULL
                 CONSTRAINT invitations_run_id_fkey
                 REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  address_blind  bytea NOT NULL,
  invited_at     timestamptz NOT NULL,
  CONSTRAINT invitations_pkey PRIMARY KEY (run_id, address_blind)
);

CREATE INDEX invitations_address_blind_idx ON track4run.invitations (address_blind, invited_at);
CREATE INDEX invitations_invited_at_idx ON track4run.invitations (invited_at);

CREATE TABLE track4run.invitation_counts (
  account_id  bigint NOT NULL,
  day         integer NOT NULL,
  invited     integer NOT NULL
              CONSTRAINT invitation_counts_invited_check CHECK (invited > 0),
  CONSTRAINT invitation_counts_pkey PRIMARY KEY (account_id, day)
);

CREATE INDEX invitation_counts_day_idx ON track4run.invitation_counts (day);

-- Results are final once a run is closed. The deletion of an account leaves them without a name.
CREATE TABLE track4run.results (
  run_id         bigint NOT NULL,
  number         integer NOT NULL,
  state          smallint NOT NULL CONSTRAINT results_state_check CHECK (state BETWEEN 1 AND 3),
  place          integer CONSTRAINT results_place_check CHECK (place > 0),
  metres         float8 NOT NULL,
  finished_at    timestamptz,
  kilometres_at  bigint[] NOT NULL,
  reached_at     timestamptz,
  CONSTRAINT results_pkey PRIMARY KEY (run_id, number),
  CONSTRAINT results_number_fkey
    FOREIGN KEY (run_id, number) REFERENCES track4run.enrolments (run_id, number)
    ON DELETE CASCADE,
  CONSTRAINT results_finished_check CHECK ((state = 1) = (finished_at IS NOT NULL)),
  CONSTRAINT results_started_check CHECK ((state = 3) = (place IS NULL)),
  CONSTRAINT results_reached_check CHECK ((state = 3) = (reached_at IS NULL))
);

CREATE INDEX results_place_idx ON track4run.results (run_id, place);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON track4run.runs, track4run.publications, track4run.paths, track4run.pictures,
     track4run.co_organisers, track4run.enrolments, track4run.runs_made, track4run.invitations,
     track4run.invitation_counts, track4run.results
  TO track4run;
GRANT SELECT, INSERT ON track4run.clauses TO track4run;
