-- owner: features/connections/. When a run last used a connection, to the minute. No index has it, so that writing it touches none.
alter table connections add column last_used_at timestamptz(3);
