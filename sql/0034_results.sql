-- Results that show when runners who did not finish had come as far as they came (RUN-5, RUN-6),
-- and a record of accesses that knows tracks (RUN-8).

ALTER TABLE track4run.results
  ADD COLUMN reached_at timestamptz,             -- null of who did not start
  ADD CONSTRAINT results_reached_check CHECK ((state = 3) = (reached_at IS NULL));

ALTER TABLE data4help.accesses
  DROP CONSTRAINT accesses_format_check,
  ADD CONSTRAINT accesses_format_check CHECK (format BETWEEN 1 AND 9);
