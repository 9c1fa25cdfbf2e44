-- When the newest backup of each type ended, for the role `monitoring` (role.sql). The schedule of
-- the backups (deploy/backup/backup) writes it from what the repository lists. A superuser runs
-- this on each cluster, after role.sql and the first migration; repeated runs are safe:
--
--   psql -v ON_ERROR_STOP=1 -d trackme -f deploy/monitoring/backups.sql
--   psql -v ON_ERROR_STOP=1 -d trackme_keys -f deploy/monitoring/backups.sql

BEGIN;

-- No notice of what exists already.
SET LOCAL client_min_messages = warning;
CREATE SCHEMA IF NOT EXISTS monitoring AUTHORIZATION trackme_owner;
COMMENT ON SCHEMA monitoring IS 'What the PostgreSQL exporter reads, without personal data';
REVOKE ALL ON SCHEMA monitoring FROM PUBLIC;
GRANT USAGE ON SCHEMA monitoring TO monitoring;

CREATE TABLE IF NOT EXISTS monitoring.backups (
  type text PRIMARY KEY,
  finished_at timestamptz NOT NULL
);
COMMENT ON TABLE monitoring.backups IS 'The newest backup of each type in the repository';
GRANT SELECT ON monitoring.backups TO monitoring;

COMMIT;
