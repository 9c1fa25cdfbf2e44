-- Days of a cohort on which about as many people have values are told one number of people (GRP-1):
-- of those for which one was drawn, how many people were counted. NULL for days that are told the
-- number of the whole or of another day, and for those that were told before.
ALTER TABLE data4help.released_days ADD COLUMN counted integer;

CREATE INDEX released_days_counted_idx
  ON data4help.released_days (cohort) INCLUDE (counted, people) WHERE counted IS NOT NULL;
