-- Runners who leave after the finish keep their result, under the name that they chose or without
-- one (RUN-9, RUN-10); names and emails that organisers were given are recorded (NFR-6).

ALTER TABLE track4run.enrolments
  DROP CONSTRAINT enrolments_left_reason_check,
  -- 5 the runner left after the finish: the result stays
  ADD CONSTRAINT enrolments_left_reason_check CHECK (left_reason BETWEEN 1 AND 5),
  -- whether the result of a runner who left stays under the chosen name
  ADD COLUMN keeps_name boolean NOT NULL DEFAULT false;

ALTER TABLE data4help.accesses
  DROP CONSTRAINT accesses_format_check,
  -- 10 name and email of a runner who checked in
  ADD CONSTRAINT accesses_format_check CHECK (format BETWEEN 1 AND 10);
