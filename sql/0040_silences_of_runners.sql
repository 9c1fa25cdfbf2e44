-- Of which silence a runner was told (RUN-14), so that of several processes and over restarts each
-- is told of once.

ALTER TABLE track4run.enrolments
  -- the time of the last position before it; NULL where there was none
  ADD COLUMN silent_since timestamptz;
