-- The names of the master keys under which account keys of this database were wrapped (NFR-5): with
-- a key file that has none of them, nothing that is sealed can be opened. A name follows from its
-- key by HKDF and tells nothing of it; wrapped keys hold it too. Rotation adds one.

CREATE TABLE master_keys (
  identifier   text CONSTRAINT master_keys_pkey PRIMARY KEY,   -- 16 hexadecimal digits
  adopted_at   timestamptz NOT NULL
);

GRANT SELECT, INSERT ON master_keys TO data4help;
