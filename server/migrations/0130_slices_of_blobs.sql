-- owner: drivers/blobs/. Outside transactions: bytes that nothing refers to are looked for in slices and deleted in pieces,
-- the workspaces of runs are found by their age, and what a workspace keeps of earlier steps counts.
-- Older code: works.

create index concurrently if not exists sandboxes_of_runs_by_age on sandboxes (created_at, id) where run_id is not null;

-- what the rows of its earlier steps take beside the contents of files: its quota counts them too
alter table sandboxes add column if not exists history_bytes bigint not null default 0;

-- How far the sweep has looked through the blobs; no row: it begins with the oldest.
create table if not exists blob_sweep (
  is_only boolean primary key default true check (is_only),
  created_at timestamptz(3) not null,
  id uuid not null
);

-- The condition for a row of `blobs b` that nothing refers to. Which tables refer to blobs is what their foreign keys say, so that none can be forgotten.
create or replace function nothing_refers_to_b() returns text language sql stable as $$
  select coalesce(string_agg(format('not exists (select from %s t where t.%I = b.sha256)', c.conrelid::regclass, a.attname), ' and '), 'true')
  from pg_constraint c
  join pg_attribute named on named.attrelid = c.confrelid and named.attnum = any(c.confkey) and named.attname = 'sha256'
  join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
  where c.confrelid = 'blobs'::regclass and c.contype = 'f'
$$;

-- The next blobs after the one where the sweep is, and how many chunks each has; null: something refers to it. It locks and writes nothing, so that
-- its transaction has no number, for which others would wait. The slice is made first: most old blobs are in use, and no plan may look at more of them.
create or replace function next_blobs_to_sweep(most int) returns table (id uuid, created_at timestamptz, chunks bigint) language plpgsql stable as $$
begin
  return query execute format(
    'with slice as materialized (
       select b.id, b.sha256, b.created_at from blobs b
       where (b.created_at, b.id) > ($1, $2) and b.created_at < now() - interval ''24 hours''
       order by b.created_at, b.id limit $3)
     select b.id, b.created_at::timestamptz, case when %s then (select count(*) from blob_chunks c where c.blob_id = b.id) end
     from slice b order by b.created_at, b.id', nothing_refers_to_b())
  using coalesce((select s.created_at from blob_sweep s), '-infinity'),
    coalesce((select s.id from blob_sweep s), '00000000-0000-0000-0000-000000000000'), most;
end
$$;

-- Locks those of these blobs that may go. While they are locked nothing can begin to refer to them, and what is asked afterwards sees all that does. A blob
-- that somebody has locked, because he is about to refer to it, is left out.
create or replace function lock_old_blobs(ids uuid[]) returns uuid[] language plpgsql as $$
begin
  return array(select b.id from blobs b where b.id = any(ids) and b.created_at < now() - interval '24 hours' for update skip locked);
end
$$;

create or replace function delete_unused_blobs(ids uuid[]) returns int language plpgsql as $$
declare
  locked uuid[] := lock_old_blobs(ids);
  gone int;
begin
  execute format('delete from blobs b where b.id = any($1) and %s', nothing_refers_to_b()) using locked;
  get diagnostics gone = row_count;
  return gone;
end
$$;

-- Deletes a blob and leaves its chunks to another one, without a hash and with an id that nobody knows: these can be deleted piece by piece. Null: it is in use.
create or replace function leave_chunks_of_blob(blob uuid) returns uuid language plpgsql as $$
declare
  rest uuid := gen_random_uuid();
  locked uuid[] := lock_old_blobs(array[blob]);
  is_unused boolean;
begin
  execute format('select exists (select from blobs b where b.id = any($1) and %s)', nothing_refers_to_b()) into is_unused using locked;
  if not is_unused then return null; end if;
  insert into blobs (id, size_bytes, created_at) select rest, 0, b.created_at from blobs b where b.id = blob;
  update blob_chunks set blob_id = rest where blob_id = blob;
  delete from blobs where id = blob;
  return rest;
end
$$;
