-- Why: one database, a schema per service, a role per service with only its rights (NFR-4, NFR-5,
-- R14): what one service may not read, no mistake in its SQL can hand out. Nothing lives in public.
--
-- Roles belong to the cluster and may be there already (the keys' database, a second database).
-- They can log in, but have no password: the operator gives them one, or a certificate, or peer.

DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['trackme_owner', 'data4help', 'track4run', 'gateway'] LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', wanted);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;  -- the migration of another database made it at this moment
      END;
    END IF;
  END LOOP;
END
$$;

-- Nobody connects who is not named here, and nobody makes objects outside the schemas.
DO $$
BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format(
    'GRANT CONNECT ON DATABASE %I TO trackme_owner, data4help, track4run, gateway',
    current_database());
END
$$;
REVOKE ALL ON SCHEMA public FROM PUBLIC;

CREATE SCHEMA data4help AUTHORIZATION trackme_owner;
CREATE SCHEMA track4run AUTHORIZATION trackme_owner;

GRANT USAGE ON SCHEMA data4help TO data4help;
GRANT USAGE ON SCHEMA track4run TO track4run;

-- What migrations make later starts without rights; each grants what its service needs.
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON SEQUENCES FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE USAGE ON TYPES FROM PUBLIC;
