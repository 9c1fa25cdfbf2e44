-- Distributes the samples of TrackMe's migrated database over the nodes of Citus, by account. Runs
-- once, as a superuser in the database trackme of the coordinator, before or after there are data,
-- with the services stopped: deploy/citus/start calls it.
--
-- Distributed: chunks, all but some kilobytes of a person's data. On the coordinator stays
-- everything else, because its statements join, lock or number rows of many accounts:
--   sample_accounts  uploads lock the accounts of a batch with FOR UPDATE, and relays lock requests
--                    in a join with it; Citus locks rows of one shard only
--   month_dirty      SliceToRecount joins it with accounts inside FOR UPDATE SKIP LOCKED
--   last_cells, account_diseases
--                    a search of a group joins them with accounts
--   imports          a worker finds the open ones of all accounts and locks one
--   import_blocks    a foreign key refers to imports
--   day_columns      values of 992 people in a row, of all types the only data not by account
--   the rest         unique without the account (emails, tokens, numbers of a sequence), with
--                    foreign keys to accounts, or found by other columns; advisory locks and
--                    NOTIFY work on one server only, so on the coordinator
BEGIN;

-- Hash partitions can't be distributed: shards replace them.
CREATE TABLE data4help.plain_chunks (
  LIKE data4help.chunks INCLUDING CONSTRAINTS INCLUDING STORAGE INCLUDING COMMENTS
) WITH (fillfactor = 70);
INSERT INTO data4help.plain_chunks SELECT * FROM data4help.chunks;
COMMENT ON TABLE data4help.plain_chunks IS 'Samples of an account, a data type and a day';
DROP TABLE data4help.chunks;
ALTER TABLE data4help.plain_chunks RENAME TO chunks;
ALTER TABLE data4help.chunks
  ADD CONSTRAINT chunks_pkey PRIMARY KEY (account_id, type, day, part);
ALTER TABLE data4help.chunks OWNER TO trackme_owner;
GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.chunks TO data4help;

-- Citus can't push down the limit of a lateral subquery that depends on a list. It does for one
-- account, whose shard runs the query as it is; of several accounts each shard gets the list.
-- The function of three arguments belongs to a version that is not running: services are stopped.
DROP FUNCTION IF EXISTS data4help.day_heads(bigint[], smallint[], integer[]);
CREATE OR REPLACE FUNCTION data4help.day_heads(
  accounts bigint[], types smallint[], days integer[], full_bytes integer)
RETURNS TABLE (
  place bigint, part integer, blocks smallint, last_ts bigint, bytes integer, data bytea)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  IF accounts[1] = ALL (accounts) THEN
    RETURN QUERY
    SELECT asked.place, head.part, head.blocks, head.last_ts, octet_length(head.data),
           CASE WHEN octet_length(head.data) > full_bytes THEN head.data END
      FROM unnest(types, days) WITH ORDINALITY AS asked (type, day, place)
     CROSS JOIN LATERAL (
             SELECT chunks.part, chunks.blocks, chunks.last_ts, chunks.data
               FROM data4help.chunks
              WHERE chunks.account_id = accounts[1]
                AND chunks.type = asked.type
                AND chunks.day = asked.day
              ORDER BY chunks.part DESC
              LIMIT 1) AS head;
  ELSE
    RETURN QUERY
    SELECT asked.place, head.part, head.blocks, head.last_ts, octet_length(head.data),
           CASE WHEN octet_length(head.data) > full_bytes THEN head.data END
      FROM unnest(accounts, types, days) WITH ORDINALITY AS asked (account_id, type, day, place)
      JOIN data4help.chunks AS head
        ON head.account_id = asked.account_id
       AND head.type = asked.type
       AND head.day = asked.day
       AND head.part = (SELECT max(other.part)
                          FROM data4help.chunks AS other
                         WHERE other.account_id = head.account_id
                           AND other.account_id = ANY (accounts)
                           AND other.type = asked.type
                           AND other.day = asked.day)
     WHERE head.account_id = ANY (accounts);
  END IF;
END
$$;
COMMIT;

SELECT create_distributed_table('data4help.chunks', 'account_id', shard_count => 32);
-- The rows that moved to the shards.
SELECT truncate_local_data_after_distributing_table('data4help.chunks');
