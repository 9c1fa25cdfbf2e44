-- Runs as everyone may list them (R43). Joining, checking in and watching come with Track4Run.

CREATE TABLE track4run.runs (
  run_id            bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT runs_pkey PRIMARY KEY,
  organiser_id      bigint NOT NULL,
  organiser_name    text NOT NULL,
  code              text CONSTRAINT runs_code_key UNIQUE,
  name              text NOT NULL,
  starts_at         timestamptz NOT NULL,
  ends_at           timestamptz NOT NULL,
  participants_max  integer NOT NULL
                    CONSTRAINT runs_participants_max_check CHECK (participants_max >= 2),
  enrolled          integer NOT NULL DEFAULT 0,
  end_latitude      float8,
  end_longitude     float8,
  published_at      timestamptz,
  cancelled_at      timestamptz,
  CONSTRAINT runs_ends_at_check CHECK (ends_at > starts_at)
);

CREATE INDEX runs_starts_at_idx
  ON track4run.runs (starts_at DESC, run_id)
  WHERE published_at IS NOT NULL AND cancelled_at IS NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.runs TO track4run;
