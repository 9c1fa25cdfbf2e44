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

-- Blind indexes and tokens derive from the root secret: with another one the same email could be
-- registered twice. The first process that starts writes the row, and no process changes it.
CREATE TABLE trackme.root_secrets (
  is_only      boolean DEFAULT true CONSTRAINT root_secrets_pkey PRIMARY KEY
               CONSTRAINT root_secrets_is_only_check CHECK (is_only),
  identifier   text NOT NULL,
  adopted_at   timestamptz NOT NULL
);

GRANT SELECT, INSERT ON trackme.root_secrets TO data4help, track4run, gateway;
