-- The role of the PostgreSQL exporter: it reads the statistics of the server, and no table but that
-- of the backups. A superuser runs this once on the primary of each cluster; repeated runs are
-- safe:
--
--   { echo "\set password '$(cat FILE)'"; cat deploy/monitoring/role.sql; } |
--     psql -v ON_ERROR_STOP=1 -d postgres
--
-- and then backups.sql on each cluster, and functions.sql on that of the data.

SELECT 'CREATE ROLE monitoring' WHERE NOT EXISTS (
  SELECT FROM pg_catalog.pg_roles WHERE rolname = 'monitoring')
\gexec
ALTER ROLE monitoring LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION CONNECTION LIMIT 10
  PASSWORD :'password';
-- The exporter only reads, and a query of it never occupies the server for long.
ALTER ROLE monitoring SET default_transaction_read_only = on;
ALTER ROLE monitoring SET statement_timeout = '5s';
ALTER ROLE monitoring SET search_path = pg_catalog;
GRANT pg_monitor TO monitoring;

-- The databases of this cluster admit listed roles only.
SELECT format('GRANT CONNECT ON DATABASE %I TO monitoring', datname)
  FROM pg_catalog.pg_database WHERE datname IN ('trackme', 'trackme_keys')
\gexec
