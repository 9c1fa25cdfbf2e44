-- Company names and the names of people are compared by another rule (ACC-12, RUN-7): accents of
-- every Latin, Greek and Cyrillic letter are left out, in whichever way they are written. Keyed
-- hashes of names by the rule before are computed again, company names by the worker that enters
-- them (decision 0109), those of people at the next question (decision 0112).

ALTER TABLE data4help.accounts
  -- the rule by which the name of a company was entered, or full_name_blind computed; processes of
  -- the version before leave it at 0, so that what they enter is entered again
  ADD COLUMN name_folding smallint NOT NULL DEFAULT 0;
