-- Why: uploads read the last part of each day by a lateral subquery with a limit, which Citus plans
-- for a single account only (OPS-7). As a function, the query can be replaced where health data is
-- distributed, without another program: see deploy/citus/distribute.sql.
--
-- PostgreSQL expands a stable SQL function of one query in the statement that calls it, so that its
-- plan is the same as before. It has no SET and is not STRICT, both of which would prevent that.
CREATE FUNCTION data4help.day_heads(accounts bigint[], types smallint[], days integer[])
RETURNS TABLE (place bigint, part integer, blocks smallint, last_ts bigint, bytes integer)
LANGUAGE sql STABLE AS $$
  SELECT asked.place, head.part, head.blocks, head.last_ts, octet_length(head.data)
    FROM unnest(accounts, types, days) WITH ORDINALITY AS asked (account_id, type, day, place)
   CROSS JOIN LATERAL (
           SELECT chunks.part, chunks.blocks, chunks.last_ts, chunks.data
             FROM data4help.chunks
            WHERE chunks.account_id = asked.account_id
              AND chunks.type = asked.type
              AND chunks.day = asked.day
            ORDER BY chunks.part DESC
            LIMIT 1) AS head
$$;
COMMENT ON FUNCTION data4help.day_heads IS
  'The last parts of days: place is the index of a day in the arguments, from 1';

GRANT EXECUTE ON FUNCTION data4help.day_heads TO data4help;
