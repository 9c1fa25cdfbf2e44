-- Runs as everyone may list them (R43): a run is listed once its path is published, which also
-- gives it its code (RUN-4). Joining, checking in and watching come with Track4Run.

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
  CONSTRAINT runs_ends_at_check CHECK (ends_at > starts_at)
);

CREATE INDEX runs_starts_at_idx
  ON track4run.runs (starts_at DESC, run_id) WHERE cancelled_at IS NULL;

CREATE TABLE track4run.publications (
  run_id         bigint CONSTRAINT publications_pkey PRIMARY KEY
                 CONSTRAINT publications_run_id_fkey
                 REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  code           text NOT NULL CONSTRAINT publications_code_key UNIQUE,
  end_latitude   float8 NOT NULL,
  end_longitude  float8 NOT NULL,
  published_at   timestamptz NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.runs, track4run.publications TO track4run;
