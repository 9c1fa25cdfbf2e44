-- The schema of a database as lines of text, in the temporary view `described`: rights and roles,
-- schemas, relations, columns, constraints, indexes, sequences, functions, triggers, rules,
-- policies, types, extensions, and a digest of the rows that migrations insert. Left out are
-- comments, owners and rights of owners (which depend on the role that migrates), members of
-- extensions, and the history of migrations.

CREATE TEMPORARY VIEW own_schemas AS
SELECT oid, nspname AS name, nspacl AS acl, nspowner AS owner
  FROM pg_catalog.pg_namespace
 WHERE nspname <> 'information_schema' AND nspname !~ '^pg_';

CREATE TEMPORARY VIEW own_relations AS
SELECT relation.*, own.name || '.' || relation.relname AS name
  FROM pg_catalog.pg_class AS relation
  JOIN own_schemas AS own ON own.oid = relation.relnamespace
 WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_depend
                    WHERE classid = 'pg_class'::regclass AND objid = relation.oid
                      AND deptype = 'e');

-- The rights of an access list that its owner does not have by ownership.
CREATE FUNCTION pg_temp.rights(acl aclitem[], owner oid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(' to ' || string_agg(line, ', ' ORDER BY line COLLATE "C"), '')
    FROM (SELECT coalesce(role.rolname, 'PUBLIC') || ': '
                   || string_agg(item.privilege_type
                                   || CASE WHEN item.is_grantable THEN '*' ELSE '' END,
                                 ' ' ORDER BY item.privilege_type COLLATE "C") AS line
            FROM aclexplode(acl) AS item
            LEFT JOIN pg_catalog.pg_roles AS role ON role.oid = item.grantee
           WHERE item.grantee <> owner
           GROUP BY role.rolname) AS granted
$$;

CREATE FUNCTION pg_temp.digest(relation oid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (xpath('/row/line/text()', query_to_xml(format(
           'SELECT count(*) || '' rows, MD5 '' || coalesce(
                     md5(string_agg(t::text, chr(10) ORDER BY t::text COLLATE "C")), '''') AS line
              FROM %s AS t', relation::regclass), false, true, '')))[1]::text
$$;

CREATE TEMPORARY VIEW described AS
SELECT 'database' || pg_temp.rights(datacl, datdba) AS line
  FROM pg_catalog.pg_database WHERE datname = current_database()
UNION ALL
SELECT 'role ' || rolname || ' login ' || rolcanlogin || ' super ' || rolsuper || ' createdb '
         || rolcreatedb || ' createrole ' || rolcreaterole || ' inherit ' || rolinherit
         || ' bypassrls ' || rolbypassrls
  FROM pg_catalog.pg_database, aclexplode(datacl) AS item
  JOIN pg_catalog.pg_roles AS role ON role.oid = item.grantee
 WHERE datname = current_database() AND item.grantee <> datdba
UNION ALL
SELECT 'schema ' || name || pg_temp.rights(coalesce(acl, acldefault('n', owner)), owner)
  FROM own_schemas
UNION ALL
SELECT 'default privileges on ' || defaclobjtype::text || coalesce(' in ' || name, '')
         || pg_temp.rights(defaclacl, defaclrole)
  FROM pg_catalog.pg_default_acl LEFT JOIN own_schemas AS own ON own.oid = defaclnamespace
UNION ALL
SELECT 'extension ' || extname || ' in ' || nspname
  FROM pg_catalog.pg_extension
  JOIN pg_catalog.pg_namespace ON pg_namespace.oid = extnamespace
UNION ALL
SELECT 'relation ' || name || ' kind ' || relkind::text || ' persistence ' || relpersistence::text
         || coalesce(' access ' || amname, '') || coalesce(' options ' || reloptions::text, '')
         || coalesce(' key ' || pg_get_partkeydef(relation.oid), '')
         || coalesce(' of ' || (SELECT inhparent::regclass::text FROM pg_catalog.pg_inherits
                                 WHERE inhrelid = relation.oid), '')
         || coalesce(' ' || pg_get_expr(relpartbound, relation.oid), '')
         || CASE WHEN relrowsecurity OR relforcerowsecurity THEN ' row security' ELSE '' END
         || ' identity ' || relreplident::text
         || CASE WHEN relkind IN ('v', 'm') THEN ' ' || pg_get_viewdef(relation.oid) ELSE '' END
         || pg_temp.rights(relacl, relowner)
  FROM own_relations AS relation LEFT JOIN pg_catalog.pg_am ON pg_am.oid = relam
 WHERE relkind NOT IN ('i', 'I')
UNION ALL
SELECT 'column ' || relation.name || ' ' || lpad(attnum::text, 2, '0') || ' ' || attname || ' '
         || format_type(atttypid, atttypmod)
         || CASE WHEN attnotnull THEN ' not null' ELSE '' END
         || CASE WHEN attcollation NOT IN (0, typcollation)
                 THEN ' collate ' || attcollation::regcollation ELSE '' END
         || coalesce(CASE WHEN attgenerated = 's' THEN ' stored ' ELSE ' default ' END
                       || btrim(regexp_replace(pg_get_expr(adbin, adrelid), '\s+', ' ', 'g')),
                     '')
         || CASE WHEN attidentity <> '' THEN ' identity ' || attidentity::text ELSE '' END
         || ' storage ' || attstorage::text
         || CASE WHEN attcompression <> '' THEN ' compression ' || attcompression::text ELSE '' END
         || CASE WHEN coalesce(attstattarget, -1) >= 0 THEN ' statistics ' || attstattarget
                 ELSE '' END
         || coalesce(' options ' || attoptions::text, '') || pg_temp.rights(attacl, relowner)
  FROM own_relations AS relation
  JOIN pg_catalog.pg_attribute ON attrelid = relation.oid AND attnum > 0 AND NOT attisdropped
  JOIN pg_catalog.pg_type ON pg_type.oid = atttypid
  LEFT JOIN pg_catalog.pg_attrdef ON adrelid = attrelid AND adnum = attnum
 WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
UNION ALL
-- NOT NULL is a part of the column, and a constraint from PostgreSQL 18 on.
SELECT 'constraint ' || relation.name || ' ' || conname || ' ' || pg_get_constraintdef(con.oid)
         || CASE WHEN NOT convalidated THEN ' not validated' ELSE '' END
         || CASE WHEN conparentid <> 0 THEN ' inherited' ELSE '' END
  FROM pg_catalog.pg_constraint AS con JOIN own_relations AS relation ON relation.oid = conrelid
 WHERE contype NOT IN ('n', 't')
UNION ALL
SELECT 'index ' || pg_get_indexdef(indexrelid)
         || CASE WHEN NOT indisvalid THEN ' not valid' ELSE '' END
         || CASE WHEN indisclustered THEN ' clustered' ELSE '' END
  FROM pg_catalog.pg_index JOIN own_relations AS relation ON relation.oid = indrelid
UNION ALL
SELECT 'sequence ' || relation.name || ' ' || format_type(seqtypid, NULL) || ' from ' || seqstart
         || ' by ' || seqincrement || ' between ' || seqmin || ' and ' || seqmax || ' cache '
         || seqcache || CASE WHEN seqcycle THEN ' cycle' ELSE '' END
  FROM pg_catalog.pg_sequence JOIN own_relations AS relation ON relation.oid = seqrelid
UNION ALL
SELECT 'function ' || routine.oid::regprocedure || ' ' || md5(pg_get_functiondef(routine.oid))
         || pg_temp.rights(coalesce(proacl, acldefault('f', proowner)), proowner)
  FROM pg_catalog.pg_proc AS routine JOIN own_schemas AS own ON own.oid = pronamespace
 WHERE prokind <> 'a'
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend
                    WHERE classid = 'pg_proc'::regclass AND objid = routine.oid AND deptype = 'e')
UNION ALL
SELECT 'trigger ' || relation.name || ' ' || pg_get_triggerdef(pg_trigger.oid)
  FROM pg_catalog.pg_trigger JOIN own_relations AS relation ON relation.oid = tgrelid
 WHERE NOT tgisinternal
UNION ALL
SELECT 'rule ' || relation.name || ' ' || pg_get_ruledef(pg_rewrite.oid)
  FROM pg_catalog.pg_rewrite JOIN own_relations AS relation ON relation.oid = ev_class
UNION ALL
SELECT 'policy ' || relation.name || ' ' || polname || ' ' || polcmd::text || ' '
         || coalesce(pg_get_expr(polqual, polrelid), '') || ' '
         || coalesce(pg_get_expr(polwithcheck, polrelid), '')
  FROM pg_catalog.pg_policy JOIN own_relations AS relation ON relation.oid = polrelid
UNION ALL
SELECT 'statistics ' || pg_get_statisticsobjdef(pg_statistic_ext.oid)
  FROM pg_catalog.pg_statistic_ext JOIN own_relations AS relation ON relation.oid = stxrelid
UNION ALL
SELECT 'type ' || own.name || '.' || typname || ' ' || typtype::text
         || coalesce(' ' || format_type(nullif(typbasetype, 0), typtypmod), '')
  FROM pg_catalog.pg_type JOIN own_schemas AS own ON own.oid = typnamespace
 WHERE typrelid = 0 AND typelem = 0
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend
                    WHERE classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e')
UNION ALL
SELECT 'rows ' || name || ' ' || digest
  FROM own_relations, pg_temp.digest(oid) AS digest
 WHERE relkind IN ('r', 'p') AND NOT relispartition AND name <> 'trackme.migrations'
   AND digest NOT LIKE '0 rows%';
