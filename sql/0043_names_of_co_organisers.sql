-- What companies that organise a run too are called (RUN-2), as Data4Help said when they were
-- named: lists of runs name them also while Data4Help is away.

ALTER TABLE track4run.co_organisers
  -- NULL of those who were named before
  ADD COLUMN name text;
