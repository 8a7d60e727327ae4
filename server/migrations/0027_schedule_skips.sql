-- owner: features/schedules/. The latest due time of a schedule that a limit of its team let come to nothing, and which one.
alter table schedules
  add column last_skipped_at timestamptz(3),
  add column last_skipped_reason text;
