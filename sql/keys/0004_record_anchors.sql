-- Why: the root secret is replaced while the services run (OPS-6). Links of later entries of the
-- record of accesses are codes under the new secret, so that a holder of the former one can't
-- continue a record. The end of the record under the former secret is kept here with a code under
-- the new one: earlier entries are verified up to it.

ALTER TABLE account_keys
  ADD COLUMN anchor_count bigint,
  ADD COLUMN anchor_head bytea,
  ADD COLUMN anchor_code bytea,
  ADD CONSTRAINT account_keys_anchor_check
    CHECK ((anchor_count IS NULL) = (anchor_head IS NULL)
       AND (anchor_count IS NULL) = (anchor_code IS NULL));
COMMENT ON COLUMN account_keys.anchor_count IS
  'Length of the record of accesses when the root secret was replaced; NULL before the first time';
COMMENT ON COLUMN account_keys.anchor_head IS 'Link of that entry';
COMMENT ON COLUMN account_keys.anchor_code IS
  'HMAC-SHA256 over account, anchor_count and anchor_head under the root secret that followed';

GRANT UPDATE (root_secret) ON installations TO data4help;
