-- Downloads as NDJSON and as a FHIR bundle (R24), in the record of accesses.

-- 5 is left to callbacks, 6 ndjson, 7 a FHIR bundle
ALTER TABLE data4help.accesses
  DROP CONSTRAINT accesses_format_check,
  ADD CONSTRAINT accesses_format_check CHECK (format BETWEEN 1 AND 7);
