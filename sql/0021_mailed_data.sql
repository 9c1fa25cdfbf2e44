-- Data that was sent by mail (R24), in the record of accesses.

-- 8 a file in a mail
ALTER TABLE data4help.accesses
  DROP CONSTRAINT accesses_format_check,
  ADD CONSTRAINT accesses_format_check CHECK (format BETWEEN 1 AND 8);
