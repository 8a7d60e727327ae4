-- owner: drivers/blobs/. Blobs that arrive in pieces: a name of their own while they do, for their hash is known only when the last is there.
alter table blobs add column id uuid not null default gen_random_uuid();
alter table blob_chunks add column blob_id uuid;
update blob_chunks c set blob_id = b.id from blobs b where b.sha256 = c.sha256;

alter table workspace_files drop constraint workspace_files_sha256_fkey;
alter table blob_chunks drop column sha256;
alter table blobs drop constraint blobs_pkey;
alter table blobs alter column sha256 drop not null, add primary key (id), add unique (sha256);
alter table blobs alter column id drop default;
alter table blob_chunks alter column blob_id set not null, add primary key (blob_id, n),
  add foreign key (blob_id) references blobs (id) on delete cascade;
alter table workspace_files add foreign key (sha256) references blobs (sha256);

-- what is old enough to be swept, if nobody names it
create index blobs_by_age on blobs (created_at);

-- Which tables name blobs is what their foreign keys say, so that none can be forgotten.
create function sweep_blobs(max_blobs int) returns int language plpgsql as $$
declare
  unnamed text;
  gone int;
begin
  select coalesce(string_agg(
    format('and not exists (select from %s t where t.%I = b.sha256)', c.conrelid::regclass, a.attname), ' '), '')
  into unnamed
  from pg_constraint c
  join pg_attribute named on named.attrelid = c.confrelid and named.attnum = any(c.confkey) and named.attname = 'sha256'
  join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
  where c.confrelid = 'blobs'::regclass and c.contype = 'f';
  execute format(
    'with swept as (
       delete from blobs where id in (
         select b.id from blobs b where b.created_at < now() - interval ''24 hours'' %s
         order by b.created_at limit $1 for update of b skip locked)
       returning 1)
     select count(*)::int from swept', unnamed) into gone using max_blobs;
  return gone;
end
$$;
