-- Day values carry draws of their person's day, and the bin of the value (docs/decisions/0104):
-- those of before are counted again from the samples.

TRUNCATE data4help.day_columns;

INSERT INTO data4help.month_dirty (account_id, type, month, marks)
SELECT DISTINCT account_id, type,
       ((extract(year FROM date '1970-01-01' + day) - 1970) * 12
         + extract(month FROM date '1970-01-01' + day) - 1)::int4,
       1
  FROM data4help.chunks
 WHERE type BETWEEN 2 AND 19
    ON CONFLICT (account_id, type, month) DO UPDATE
   SET marks = month_dirty.marks + 1;
