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
COMMENT ON TABLE track4run.runs IS 'Runs from their creation to their results';
COMMENT ON COLUMN track4run.runs.organiser_id IS 'Account of a third party in Data4Help';
COMMENT ON COLUMN track4run.runs.organiser_name IS 'Name of the organiser when the run was created';
COMMENT ON COLUMN track4run.runs.participants_max IS 'Most runners that can be enrolled';
COMMENT ON COLUMN track4run.runs.enrolled IS 'Runners that are enrolled and have not left';
COMMENT ON COLUMN track4run.runs.cancelled_at IS 'NULL unless cancelled';
COMMENT ON COLUMN track4run.runs.description IS 'NULL without one';
COMMENT ON COLUMN track4run.runs.place IS 'Where the run is, in words; NULL without';
COMMENT ON COLUMN track4run.runs.last_number IS 'Last number assigned to a runner';
COMMENT ON COLUMN track4run.runs.check_in_at IS
  'When the sending of check-in requests began; NULL before';
COMMENT ON COLUMN track4run.runs.closed_at IS 'When the results became final; NULL before';
COMMENT ON COLUMN track4run.runs.start_handled_at IS
  'When runners without check-in were removed (R49); NULL before';
COMMENT ON COLUMN track4run.runs.changes_day IS
  'Day of the last change (RUN-2), in days since 1970-01-01 in the time zone of the installation; '
  'NULL before the first';
COMMENT ON COLUMN track4run.runs.changes_count IS
  'Changes on changes_day, which are limited since each is a mail to every runner';
COMMENT ON COLUMN track4run.runs.clauses_version IS
  'Version of clauses in force (RUN-16); NULL without clauses';

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
COMMENT ON TABLE track4run.publications IS 'Published runs';
COMMENT ON COLUMN track4run.publications.code IS 'The public code of the run';
COMMENT ON COLUMN track4run.publications.end_latitude IS 'End of the path, degrees of WGS 84';
COMMENT ON COLUMN track4run.publications.end_longitude IS 'End of the path, degrees of WGS 84';

CREATE TABLE track4run.paths (
  run_id         bigint CONSTRAINT paths_pkey PRIMARY KEY
                 CONSTRAINT paths_run_id_fkey
                 REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  path           postgis.geography(LineString, 4326) NOT NULL,
  length_metres  float8 NOT NULL
                 CONSTRAINT paths_length_metres_check CHECK (length_metres BETWEEN 0 AND 500000)
);
COMMENT ON TABLE track4run.paths IS 'Paths of runs as the organiser drew them';
COMMENT ON COLUMN track4run.paths.path IS 'The points exactly as they were sent';
COMMENT ON COLUMN track4run.paths.length_metres IS 'Length along the path';

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
COMMENT ON TABLE track4run.pictures IS 'Pictures of runs (R38)';
COMMENT ON COLUMN track4run.pictures.kind IS '1 JPEG, 2 PNG';
COMMENT ON COLUMN track4run.pictures.bytes IS
  'The file as it is shown, without metadata of the camera';
COMMENT ON COLUMN track4run.pictures.digest IS 'SHA-256 of bytes, by which clients cache it';

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
COMMENT ON TABLE track4run.co_organisers IS
  'Third parties that may change, cancel and invite on behalf of the organiser (RUN-2)';
COMMENT ON COLUMN track4run.co_organisers.name IS 'Name of the third party; NULL where unknown';

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
COMMENT ON TABLE track4run.clauses IS
  'Clauses of an organiser that runners accept on joining (RUN-16)';
COMMENT ON COLUMN track4run.clauses.version IS 'Within the run, from 1';

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
COMMENT ON TABLE track4run.enrolments IS 'Runners of runs, those who have left included';
COMMENT ON COLUMN track4run.enrolments.number IS 'Within the run, from 1; never assigned twice';
COMMENT ON COLUMN track4run.enrolments.account_id IS
  'Account in Data4Help; the negated number, which is no account, after its deletion';
COMMENT ON COLUMN track4run.enrolments.sealed_name IS
  'Sealed with a server key: the name chosen for the run as text; NULL without one';
COMMENT ON COLUMN track4run.enrolments.shows_health IS
  'Whether spectators see health data (RUN-6)';
COMMENT ON COLUMN track4run.enrolments.is_findable IS
  'Whether spectators find the runner by chosen name, email or fiscal code (RUN-7)';
COMMENT ON COLUMN track4run.enrolments.is_paused IS
  'Whether positions are hidden from spectators (RUN-12)';
COMMENT ON COLUMN track4run.enrolments.left_reason IS
  '1 the runner left, 2 no check-in by the start, 3 account deleted, 4 the run moved to a time at '
  'which the runner is in another run, 5 the runner left after the finish and the result stays; '
  'NULL for an enrolled runner';
COMMENT ON COLUMN track4run.enrolments.request_id IS
  'The check-in request of Data4Help; NULL before it is sent, another one for each attempt';
COMMENT ON COLUMN track4run.enrolments.checked_in_at IS 'NULL before the request is accepted';
COMMENT ON COLUMN track4run.enrolments.data_revision IS
  'Number of erasures: replicas read the remaining data again after a change';
COMMENT ON COLUMN track4run.enrolments.check_in_attempts IS 'Check-in requests sent';
COMMENT ON COLUMN track4run.enrolments.shared_types IS
  'Data types that the runner shares: bit n is the type with storage code n; NULL before the '
  'check-in. An erasure of all of them removes rows of run_data without opening them';
COMMENT ON COLUMN track4run.enrolments.silent_since IS
  'Last position before the silence that the runner was notified of (RUN-14), so that processes '
  'notify once; NULL without one';
COMMENT ON COLUMN track4run.enrolments.keeps_name IS
  'Whether the result of a runner who left stays under the chosen name (RUN-9)';
COMMENT ON COLUMN track4run.enrolments.clauses_version IS
  'Version of clauses that the runner accepted; NULL for a run without clauses';
COMMENT ON COLUMN track4run.enrolments.is_findable_by_name IS
  'Whether spectators find the runner by the full name of the profile too, if is_findable (RUN-7)';

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
COMMENT ON TABLE track4run.runs_made IS 'Runs that an organiser created on the last day with one';
COMMENT ON COLUMN track4run.runs_made.day IS
  'Days since 1970-01-01 in the time zone of the installation';
COMMENT ON COLUMN track4run.runs_made.count IS 'Runs created on that day';

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
COMMENT ON TABLE track4run.invitations IS 'Invitations to runs by mail';
COMMENT ON COLUMN track4run.invitations.address_blind IS 'Keyed hash of the email address';

CREATE INDEX invitations_address_blind_idx ON track4run.invitations (address_blind, invited_at);
CREATE INDEX invitations_invited_at_idx ON track4run.invitations (invited_at);

CREATE TABLE track4run.invitation_counts (
  account_id  bigint NOT NULL,
  day         integer NOT NULL,
  invited     integer NOT NULL
              CONSTRAINT invitation_counts_invited_check CHECK (invited > 0),
  CONSTRAINT invitation_counts_pkey PRIMARY KEY (account_id, day)
);
COMMENT ON TABLE track4run.invitation_counts IS 'Addresses that an account invited on a day';
COMMENT ON COLUMN track4run.invitation_counts.day IS
  'Days since 1970-01-01 in the time zone of the installation';
COMMENT ON COLUMN track4run.invitation_counts.invited IS
  'Addresses, those without a sent mail included';

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
COMMENT ON TABLE track4run.results IS 'Results of runners of closed runs (RUN-5)';
COMMENT ON COLUMN track4run.results.number IS 'Number of the runner, as in enrolments';
COMMENT ON COLUMN track4run.results.state IS '1 finished, 2 did not finish, 3 did not start';
COMMENT ON COLUMN track4run.results.place IS
  'Rank from 1, shared by equal results; NULL for a runner who did not start';
COMMENT ON COLUMN track4run.results.metres IS 'Distance along the path';
COMMENT ON COLUMN track4run.results.finished_at IS 'NULL for a runner who did not finish';
COMMENT ON COLUMN track4run.results.kilometres_at IS
  'When each whole kilometre was passed, milliseconds since 1970-01-01T00:00:00Z';
COMMENT ON COLUMN track4run.results.reached_at IS
  'When the runner first was that far; NULL for a runner who did not start';

CREATE INDEX results_place_idx ON track4run.results (run_id, place);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON track4run.runs, track4run.publications, track4run.paths, track4run.pictures,
     track4run.co_organisers, track4run.enrolments, track4run.runs_made, track4run.invitations,
     track4run.invitation_counts, track4run.results
  TO track4run;
GRANT SELECT, INSERT ON track4run.clauses TO track4run;
