-- Downloads (R24), pre-confirmed third parties and payments (REQ-3, REQ-7, REQ-8).

-- 5 is left to callbacks, 6 ndjson, 7 a FHIR bundle
ALTER TABLE data4help.accesses
  DROP CONSTRAINT accesses_format_check,
  ADD CONSTRAINT accesses_format_check CHECK (format BETWEEN 1 AND 7);
