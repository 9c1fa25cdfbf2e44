-- Why: one upload of a single sample in forty finds the last part of its day full, and packs its
-- blocks into one. It was stored in a transaction of its own, only to read the data of that part.
-- Now the round trip that reads the heads of a batch returns it.
--
-- day_heads of three arguments stays for the previous version, which runs while processes are
-- replaced one by one. This one is expanded in the statement that calls it as well: see 0017.
CREATE FUNCTION data4help.day_heads(
  accounts bigint[], types smallint[], days integer[], full_bytes integer)
RETURNS TABLE (
  place bigint, part integer, blocks smallint, last_ts bigint, bytes integer, data bytea)
LANGUAGE sql STABLE AS $$
  SELECT asked.place, head.part, head.blocks, head.last_ts, octet_length(head.data),
         CASE WHEN octet_length(head.data) > full_bytes THEN head.data END
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
COMMENT ON FUNCTION data4help.day_heads(bigint[], smallint[], integer[], integer) IS
  'The last parts of days: place is the index of a day in the arguments, from 1; data only of '
  'those with more bytes than full_bytes';

GRANT EXECUTE ON FUNCTION data4help.day_heads(bigint[], smallint[], integer[], integer)
  TO data4help;
