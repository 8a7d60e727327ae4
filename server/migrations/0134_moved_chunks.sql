-- owner: drivers/blobs/. What a content had in PostgreSQL when it has moved to an object store, and what a move brought in vain, goes in pieces, as
-- everything that nothing refers to: a slow disk does not delete 1 GiB within the time that a statement has.
-- Older code: works.

-- Leaves the chunks of a blob, from this one on, to another one, without a hash and with an id that nobody knows. It is old enough for the next sweep.
create function leave_chunks_to_sweep(blob uuid, first int) returns void language plpgsql as $$
declare
  rest uuid := gen_random_uuid();
begin
  if not exists (select from blob_chunks where blob_id = blob and n >= first) then return; end if;
  insert into blobs (id, size_bytes, created_at) values (rest, 0, now() - interval '24 hours');
  update blob_chunks set blob_id = rest where blob_id = blob and n >= first;
end $$;

-- As before, but for the chunks that it leaves to the sweep.
create or replace function move_to_object(blob uuid, object uuid, beginning_bytes int) returns boolean language plpgsql as $$
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
  perform leave_chunks_to_sweep(blob, 1);
  delete from blobs_to_move where blob_id = blob;
  return true;
end $$;

-- The same.
create or replace function move_from_object(blob uuid, object uuid, filled uuid) returns boolean language plpgsql as $$
begin
  perform from blobs where id = blob and object_id = object for update;
  if not found then
    perform leave_chunks_to_sweep(filled, 0);
    delete from blobs where id = filled;
    return false;
  end if;
  delete from blob_chunks where blob_id = blob;
  update blob_chunks set blob_id = blob where blob_id = filled;
  update blobs set object_id = null where id = blob;
  delete from blobs where id = filled;
  return true;
end $$;
