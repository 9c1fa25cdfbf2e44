-- Why: the master key is replaced while the services run (OPS-6). Each process reports the keys
-- that it has read, so that the command wraps nothing under a key that a process lacks, and
-- removes no key that a process still wraps with. A key is retired in the transaction that finds
-- no account key under it; from then on no process can store one, not even one that was suspended
-- meanwhile.

ALTER TABLE master_keys
  ADD COLUMN retired_at timestamptz,
  ADD COLUMN released_at timestamptz;
COMMENT ON COLUMN master_keys.retired_at IS
  'When no account key was left under it, and none can be stored since; NULL for a key in use';
COMMENT ON COLUMN master_keys.released_at IS
  'When no process had the retired key in memory any longer; NULL until then';

CREATE TABLE key_readers (
  process      uuid CONSTRAINT key_readers_pkey PRIMARY KEY,
  identifiers  text[] NOT NULL,
  seen_at      timestamptz NOT NULL
);
COMMENT ON TABLE key_readers IS 'The master keys that each process of data4help has in memory';
COMMENT ON COLUMN key_readers.identifiers IS
  'Names of the master keys in the order of the file: the first wraps';

CREATE FUNCTION refuse_retired_master_key() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_catalog AS $$
DECLARE
  retired timestamptz;
BEGIN
  -- The lock waits for a transaction that is retiring the key.
  SELECT retired_at INTO retired
    FROM master_keys
   WHERE identifier = encode(substring(NEW.wrapped_key FROM 2 FOR 8), 'hex')
     FOR SHARE;
  IF retired IS NOT NULL THEN
    RAISE EXCEPTION 'the master key of a new account key is retired'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'account_keys_wrapped_key_check';
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER account_keys_master_key BEFORE INSERT OR UPDATE OF wrapped_key ON account_keys
  FOR EACH ROW EXECUTE FUNCTION refuse_retired_master_key();

-- A row lock needs the right to update a column.
GRANT UPDATE (retired_at, released_at) ON master_keys TO data4help;
GRANT SELECT, INSERT, UPDATE, DELETE ON key_readers TO data4help;
