-- Clauses of an organiser that runners accept on joining, with version and time (RUN-16). Every
-- version is kept: somebody may have accepted it.

CREATE TABLE track4run.clauses (
  run_id   bigint NOT NULL
           CONSTRAINT clauses_run_id_fkey
           REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  version  integer NOT NULL CONSTRAINT clauses_version_check CHECK (version > 0),
  text     text NOT NULL,
  made_at  timestamptz NOT NULL,
  CONSTRAINT clauses_pkey PRIMARY KEY (run_id, version)
);

ALTER TABLE track4run.runs
  -- the version in force; NULL without clauses
  ADD COLUMN clauses_version integer;

ALTER TABLE track4run.enrolments
  -- what the runner accepted, and when; NULL where the run had no clauses
  ADD COLUMN clauses_version     integer,
  ADD COLUMN clauses_accepted_at timestamptz,
  ADD CONSTRAINT enrolments_clauses_check
      CHECK ((clauses_version IS NULL) = (clauses_accepted_at IS NULL));

GRANT SELECT, INSERT ON track4run.clauses TO track4run;
