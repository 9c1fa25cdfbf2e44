-- How often everyone enrolled was told of a change of a run (RUN-2) on the day, in Italy, on which
-- it was changed last: each time is a mail to every runner.

ALTER TABLE track4run.runs
  ADD COLUMN changes_day   integer,                     -- days since 1970; NULL before the first
  ADD COLUMN changes_count integer NOT NULL DEFAULT 0 CHECK (changes_count >= 0);
