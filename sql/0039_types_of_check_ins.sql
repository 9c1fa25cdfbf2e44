-- What a runner shares in a run (R40, R42), so that an erasure of all of it removes the rows
-- without opening them: a run of a day has some 80,000 of one runner.

ALTER TABLE track4run.enrolments
  -- the data types as bits; NULL before the check-in, and of who checked in before these were noted
  ADD COLUMN shared_types bigint;
