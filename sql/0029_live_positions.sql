-- What runners share in a run, as it arrives and is shown live (R52, RUN-5, RUN-6, RUN-8, RUN-12),
-- and how many are watching (RUN-15).

-- Not fixes alone: health data too. A row is what one runner shared between two numbers of
-- Data4Help's stream; only Track4Run's one follower inserts, so that numbers are in the order of
-- commits.
ALTER TABLE track4run.fix_blocks RENAME TO run_data;
ALTER TABLE track4run.run_data RENAME COLUMN sealed_fixes TO sealed_samples;
ALTER TABLE track4run.run_data RENAME CONSTRAINT fix_blocks_pkey TO run_data_pkey;
ALTER TABLE track4run.run_data RENAME CONSTRAINT fix_blocks_number_fkey TO run_data_number_fkey;
-- Replicas go on from a number, whatever the run.
CREATE INDEX run_data_stream_seq_idx ON track4run.run_data (stream_seq);

-- Counts erasures, so that replicas read what is left anew.
ALTER TABLE track4run.enrolments ADD COLUMN data_revision integer NOT NULL DEFAULT 0;

-- What is live or was until lately.
CREATE INDEX runs_ends_at_idx ON track4run.runs (ends_at) WHERE cancelled_at IS NULL;

-- How many streams of a run each process has open; nothing of whose they are.
CREATE TABLE track4run.audiences (
  run_id      bigint NOT NULL
              CONSTRAINT audiences_run_id_fkey
              REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  process_id  uuid NOT NULL,
  streams     integer NOT NULL CONSTRAINT audiences_streams_check CHECK (streams >= 0),
  noted_at    timestamptz NOT NULL,
  CONSTRAINT audiences_pkey PRIMARY KEY (run_id, process_id)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.audiences TO track4run;
