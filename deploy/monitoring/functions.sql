-- Counts and ages of TrackMe's tables for the role `monitoring` (role.sql): it may call these
-- functions and read none of those tables, so no row of a person leaves the database. A superuser
-- runs this after each migration, and backups.sql, which makes the schema, once before; repeated
-- runs are safe:
--
--   psql -v ON_ERROR_STOP=1 -d trackme -f deploy/monitoring/functions.sql
--
-- The bodies are strings on purpose: the database does not record what they use, so no migration
-- fails because of them. queries-data.yaml calls them.

BEGIN;

-- Stages 3 and 4: confirmed, and dispatched without an acknowledgement. Rule 0 is a drill.
CREATE OR REPLACE FUNCTION monitoring.emergencies(
  OUT in_progress bigint, OUT overdue_seconds float8, OUT unacknowledged_seconds float8
) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT count(*) FILTER (WHERE ended_at IS NULL AND rule <> 0),
         coalesce(max(extract(epoch FROM now() - due_at)) FILTER (WHERE due_at < now()), 0),
         coalesce(
           max(extract(epoch FROM now() - coalesce(confirmed_at, suspected_at)))
             FILTER (WHERE stage IN (3, 4) AND rule <> 0),
           0)
    FROM data4help.emergencies
   WHERE due_at IS NOT NULL OR tracked_until > now();
$$;

-- Emergencies that ended within a day, without drills; zero where a stage has none.
CREATE OR REPLACE FUNCTION monitoring.ended_emergencies(OUT stage text, OUT emergencies bigint)
RETURNS SETOF record LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT names.name, count(ended.stage)
    FROM (VALUES (6, 'closed'), (7, 'withdrawn'), (8, 'aborted'), (9, 'false alarm'),
                 (11, 'unanswered')) AS names (number, name)
    LEFT JOIN data4help.emergencies AS ended
      ON ended.stage = names.number AND ended.rule <> 0
     AND ended.tracked_until > now() - interval '3 days'
     AND ended.ended_at > now() - interval '1 day'
   GROUP BY names.name;
$$;

CREATE OR REPLACE FUNCTION monitoring.group_requests(OUT status text, OUT requests bigint)
RETURNS SETOF record LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT names.name, count(requests.status)
    FROM (VALUES (1, 'approved'), (2, 'refused'), (3, 'ended')) AS names (number, name)
    LEFT JOIN data4help.group_requests AS requests ON requests.status = names.number
   GROUP BY names.name;
$$;

-- A day is closed ten minutes after its end in the time zone of the installation: one day behind
-- UTC is ordinary in the west.
CREATE OR REPLACE FUNCTION monitoring.groups(
  OUT days_behind bigint, OUT months_to_recount bigint, OUT released_statistics bigint
) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT greatest(
           0,
           (SELECT ((now() AT TIME ZONE 'UTC')::date - date '1970-01-01') - 1 - min(closed_day)
              FROM data4help.closing_slices)),
         (SELECT count(*) FROM data4help.month_dirty),
         (SELECT count(*) FROM data4help.released_statistics
           WHERE released_at > now() - interval '1 day');
$$;

CREATE OR REPLACE FUNCTION monitoring.mails(OUT oldest_seconds float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT coalesce(extract(epoch FROM now() - min(queued_at)), 0)
    FROM data4help.mails
   WHERE sent_at IS NULL AND failed_at IS NULL;
$$;

ALTER FUNCTION monitoring.emergencies() OWNER TO trackme_owner;
ALTER FUNCTION monitoring.ended_emergencies() OWNER TO trackme_owner;
ALTER FUNCTION monitoring.group_requests() OWNER TO trackme_owner;
ALTER FUNCTION monitoring.groups() OWNER TO trackme_owner;
ALTER FUNCTION monitoring.mails() OWNER TO trackme_owner;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA monitoring FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA monitoring TO monitoring;

COMMIT;
