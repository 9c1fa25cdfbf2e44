-- Check-in requests name their run (R47): what people are asked for in the list, the notice and the
-- mail. One row a run, so that all its requests show its newest name.

CREATE TABLE data4help.check_in_runs (
  run_id    bigint CONSTRAINT check_in_runs_pkey PRIMARY KEY,
  code      text NOT NULL,
  run_name  text NOT NULL
);

ALTER TABLE data4help.single_requests
  -- NULL of what is no check-in, and of check-ins sent before this was noted
  ADD COLUMN run_id bigint
      CONSTRAINT single_requests_run_id_fkey REFERENCES data4help.check_in_runs (run_id);

-- A run that no request refers to is forgotten.
CREATE INDEX single_requests_run_id_idx
  ON data4help.single_requests (run_id) WHERE run_id IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.check_in_runs TO data4help;
