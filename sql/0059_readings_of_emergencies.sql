-- The record of an emergency holds all vital signs from five minutes before it to its end (SOS-8).
-- What was measured up to the end is stored a little later: a worker then completes the record.

ALTER TABLE data4help.emergencies
  ADD COLUMN has_all_readings boolean NOT NULL DEFAULT false;

CREATE INDEX emergencies_ended_at_idx
  ON data4help.emergencies (ended_at)
  WHERE ended_at IS NOT NULL AND NOT has_all_readings AND rule <> 0;
