-- Why: one database with a schema and a role for each service, which has only its rights (NFR-4,
-- NFR-5, R14): SQL of one service cannot read what only another service may read. No object is
-- created in the schema public.
--
-- Roles belong to the cluster and can exist already (from the key database or a second database).
-- They can log in, but have no password: the operator sets one, a certificate or peer
-- authentication.

DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['trackme_owner', 'data4help', 'track4run', 'gateway'] LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', wanted);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;  -- a migration of another database created it at the same time
      END;
    END IF;
  END LOOP;
END
$$;

-- Only these roles connect, and none creates objects outside the schemas.
DO $$
BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format(
    'GRANT CONNECT ON DATABASE %I TO trackme_owner, data4help, track4run, gateway',
    current_database());
END
$$;
REVOKE ALL ON SCHEMA public FROM PUBLIC;

-- Objects start without rights; each migration grants what the service needs.
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON SEQUENCES FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE USAGE ON TYPES FROM PUBLIC;

CREATE SCHEMA data4help AUTHORIZATION trackme_owner;
CREATE SCHEMA track4run AUTHORIZATION trackme_owner;
CREATE SCHEMA reference AUTHORIZATION trackme_owner;
GRANT USAGE ON SCHEMA data4help TO data4help, gateway;
GRANT USAGE ON SCHEMA track4run TO track4run, gateway;
GRANT USAGE ON SCHEMA reference TO data4help, track4run;
GRANT USAGE ON SCHEMA trackme TO data4help, track4run, gateway;
COMMENT ON SCHEMA data4help IS 'Accounts, health data, requests and emergencies: Data4Help';
COMMENT ON SCHEMA track4run IS 'Runs, enrolments and live positions: Track4Run';
COMMENT ON SCHEMA reference IS 'Places and countries of dated files, readable by both services';
COMMENT ON SCHEMA trackme IS 'The state of the installation: migrations and the root secret';

COMMENT ON TABLE trackme.migrations IS 'Migrations that were applied to this database';
COMMENT ON COLUMN trackme.migrations.number IS 'The number in the name of the file, from 1';
COMMENT ON COLUMN trackme.migrations.name IS 'The name of the file, without its directory';
COMMENT ON COLUMN trackme.migrations.sha256 IS
  'SHA-256 of the SQL with its reference files inserted, 64 hexadecimal digits';

-- Blind indexes and tokens derive from the root secret: with another one the same email could be
-- registered twice. The first process that starts writes the row, and no process changes it.
CREATE TABLE trackme.root_secrets (
  is_only      boolean DEFAULT true CONSTRAINT root_secrets_pkey PRIMARY KEY
               CONSTRAINT root_secrets_is_only_check CHECK (is_only),
  identifier   text NOT NULL,
  adopted_at   timestamptz NOT NULL
);
COMMENT ON TABLE trackme.root_secrets IS 'The root secret to which this database belongs: one row';
COMMENT ON COLUMN trackme.root_secrets.is_only IS 'Always true: limits the table to one row';
COMMENT ON COLUMN trackme.root_secrets.identifier IS
  'Name of the root secret, 16 hexadecimal digits: derived by HKDF, without disclosing the secret';

GRANT SELECT, INSERT ON trackme.root_secrets TO data4help, track4run, gateway;
