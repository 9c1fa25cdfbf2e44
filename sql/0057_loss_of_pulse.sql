-- An emergency of a heart that stops (SOS-13): rule 7, a loss of pulse.

ALTER TABLE data4help.emergencies
  DROP CONSTRAINT emergencies_rule_check,
  ADD CONSTRAINT emergencies_rule_check CHECK (rule BETWEEN 0 AND 7);
