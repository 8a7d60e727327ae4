-- owner: features/system/. When each row of stored_sizes was measured, so that growth is known before a whole day has passed.
alter table stored_sizes add column measured_at timestamptz(3);
-- until now the row of a day was measured in its last hour
update stored_sizes set measured_at = least(now(), (day + 1)::timestamp at time zone 'utc');
alter table stored_sizes alter column measured_at set not null, alter column measured_at set default now();
