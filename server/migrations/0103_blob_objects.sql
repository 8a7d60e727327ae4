-- owner: drivers/blobs/. Bytes of blobs that are in an object store: one row for each object, written before the object is begun and deleted
-- after the object is gone. So whatever a process that died left in the store has a row, by which the sweep finds it.
-- Older code: works.

create table blob_objects (
  -- also the end of the object's key: an object is never written twice, so a deletion never hits bytes that came again
  id uuid primary key,
  -- where it is: s3://bucket/prefix
  store text not null,
  -- of an upload in parts that is under way
  upload_id text,
  created_at timestamptz(3) not null default now(),
  -- since when a blob has its bytes here
  used_at timestamptz(3),
  -- since when nobody needs it any more: the sweep deletes it
  dropped_at timestamptz(3)
);
create index blob_objects_dropped on blob_objects (dropped_at) where dropped_at is not null;
create index blob_objects_unused on blob_objects (created_at) where used_at is null and dropped_at is null;

-- null: the bytes are in blob_chunks. Otherwise they are in that object, and blob_chunks has only their beginning.
alter table blobs add column object_id uuid;

-- Blobs that were written in a transaction, which does not speak to a store: the sweep moves them there.
create table blobs_to_move (
  blob_id uuid primary key references blobs (id) on delete cascade
);

create function object_is_dropped() returns trigger language plpgsql as $$
begin
  update blob_objects set dropped_at = now() where id = old.object_id and dropped_at is null;
  return null;
end $$;
create trigger blobs_object_gone after delete on blobs
  for each row when (old.object_id is not null) execute function object_is_dropped();
create trigger blobs_object_left after update of object_id on blobs
  for each row when (old.object_id is not null and new.object_id is distinct from old.object_id) execute function object_is_dropped();

-- Makes a whole object the bytes of a new blob. False: a blob with these bytes exists, which stays and is young again; the object is dropped.
create function keep_object(made uuid, object uuid, name bytea, size bigint, beginning bytea) returns boolean language plpgsql as $$
begin
  loop
    update blobs set created_at = now() where sha256 = name;
    if found then
      update blob_objects set dropped_at = now() where id = object and dropped_at is null;
      return false;
    end if;
    insert into blobs (id, sha256, size_bytes, object_id) values (made, name, size, object) on conflict (sha256) do nothing;
    if found then
      update blob_objects set used_at = now(), upload_id = null where id = object and dropped_at is null;
      if not found then raise exception 'the object % was given up before it was whole', object; end if;
      insert into blob_chunks (blob_id, n, bytes) values (made, 0, beginning);
      return true;
    end if;
  end loop;
end $$;

create function is_text_of_run(name bytea) returns boolean language sql stable as $$
  select exists (select from run_messages where text_blob = name) or exists (select from runs where message_blob = name)
$$;

-- Moves the bytes of a blob to a whole object that has the same. False: the blob must stay where it is, or is gone; the object is dropped.
-- The lock waits for everybody who is about to refer to the blob. Texts of runs stay, because SQL reads them.
create function move_to_object(blob uuid, object uuid, beginning_bytes int) returns boolean language plpgsql as $$
declare
  name bytea;
begin
  select sha256 into name from blobs where id = blob and object_id is null for update;
  if name is null or is_text_of_run(name) then
    update blob_objects set dropped_at = now() where id = object and dropped_at is null;
    delete from blobs_to_move where blob_id = blob;
    return false;
  end if;
  update blob_objects set used_at = now(), upload_id = null where id = object and dropped_at is null;
  if not found then raise exception 'the object % was given up before it was whole', object; end if;
  update blobs set object_id = object where id = blob;
  update blob_chunks set bytes = substring(bytes from 1 for beginning_bytes) where blob_id = blob and n = 0;
  delete from blob_chunks where blob_id = blob and n > 0;
  delete from blobs_to_move where blob_id = blob;
  return true;
end $$;

-- Moves the bytes of a blob back: `filled` is a blob without a hash that has got all of them. False: it has left that object already.
create function move_from_object(blob uuid, object uuid, filled uuid) returns boolean language plpgsql as $$
begin
  perform from blobs where id = blob and object_id = object for update;
  if not found then
    delete from blobs where id = filled;
    return false;
  end if;
  delete from blob_chunks where blob_id = blob;
  update blob_chunks set blob_id = blob where blob_id = filled;
  update blobs set object_id = null where id = blob;
  delete from blobs where id = filled;
  return true;
end $$;

-- As before, and a text whose bytes are in a store as those of a file comes back: SQL reads the texts of runs.
create or replace function keep_text(given text) returns bytea language plpgsql as $$
declare
  content bytea := convert_to(given, 'UTF8');
  name bytea := sha256(content);
  made uuid;
begin
  loop
    perform from blobs where sha256 = name and object_id is null for key share;
    if found then return name; end if;
    select id into made from blobs where sha256 = name and object_id is not null for update;
    if found then
      update blobs set object_id = null where id = made;
      delete from blob_chunks where blob_id = made;
    else
      insert into blobs (id, sha256, size_bytes) values (gen_random_uuid(), name, length(content))
      on conflict (sha256) do nothing returning id into made;
    end if;
    if made is not null then
      -- in pieces of 1 MiB, as drivers/blobs reads them
      insert into blob_chunks (blob_id, n, bytes)
      select made, n, substring(content from n * 1048576 + 1 for 1048576) from generate_series(0, (length(content) - 1) / 1048576) n;
      return name;
    end if;
  end loop;
end $$;
