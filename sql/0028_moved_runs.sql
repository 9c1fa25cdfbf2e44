-- A run that is moved onto another run of somebody's takes them out of it (RUN-2, RUN-3): nobody is
-- in two runs at once, and one runner cannot keep an organiser from moving a run.

ALTER TABLE track4run.enrolments
  DROP CONSTRAINT enrolments_left_reason_check,
  -- 4 the run was moved to a time at which the runner is in another
  ADD CONSTRAINT enrolments_left_reason_check CHECK (left_reason BETWEEN 1 AND 4);
