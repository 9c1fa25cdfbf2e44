-- Spectators find runners by their real name where the runner allows it (RUN-7, decision 0112).

ALTER TABLE track4run.enrolments
  -- by who knows the full name of the profile, if is_findable
  ADD COLUMN is_findable_by_name boolean NOT NULL DEFAULT false;

ALTER TABLE data4help.accounts
  -- keyed hash of a person's full name; NULL until somebody looks for a person who allows it, and
  -- after a change of the profile
  ADD COLUMN full_name_blind bytea;
