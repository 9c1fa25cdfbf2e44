-- Why: the root secret is replaced while the services run (OPS-6). Each process reports the secrets
-- that it has read, so that nothing is made under one that a process lacks, and none is removed
-- that a process still uses. The former secret is named until nothing is left that only it opens.

ALTER TABLE trackme.root_secrets ADD COLUMN former text;
COMMENT ON COLUMN trackme.root_secrets.former IS
  'Name of the secret before it, while rows can be sealed under that one; NULL otherwise';
COMMENT ON TABLE trackme.root_secrets IS
  'The root secret to which this database belongs: one row, which a rotation changes';

CREATE TABLE trackme.root_readers (
  process      uuid CONSTRAINT root_readers_pkey PRIMARY KEY,
  identifiers  text[] NOT NULL,
  seen_at      timestamptz NOT NULL
);
COMMENT ON TABLE trackme.root_readers IS 'The root secrets that each process has in memory';
COMMENT ON COLUMN trackme.root_readers.identifiers IS
  'Names of the root secrets in the order of the file: new things are made under the first';

GRANT UPDATE (identifier, former) ON trackme.root_secrets TO data4help;
GRANT SELECT, INSERT, UPDATE, DELETE ON trackme.root_readers TO data4help, track4run, gateway;
