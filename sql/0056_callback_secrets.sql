-- The secret of a callback can be rotated with an overlap (REQ-2): until then calls are signed with
-- the one before, too.

ALTER TABLE data4help.callbacks
  ADD COLUMN sealed_previous_secret bytea,       -- sealed as sealed_secret, from which it came
  ADD COLUMN previous_until timestamptz,
  ADD CONSTRAINT callbacks_previous_until_check
    CHECK ((sealed_previous_secret IS NULL) = (previous_until IS NULL));
