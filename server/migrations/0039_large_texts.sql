-- owner: engine/. Texts of more than 64 KiB are kept once, as blobs, however often a run names them: as the message that it was started with, in its
-- log, in the log of a run that goes on from it. The columns keep their beginning, for what reads no more than that (search, transcripts).
alter table run_messages add column text_blob bytea references blobs (sha256);
create index run_messages_by_blob on run_messages (text_blob) where text_blob is not null;
-- message_is_text: the message is this text; otherwise it is the JSON that the text spells
alter table runs add column message_blob bytea references blobs (sha256), add column message_is_text boolean;
create index runs_by_message_blob on runs (message_blob) where message_blob is not null;

-- The blob of a text, made if there is none. The lock keeps the sweep from taking one that is about to be named.
create function keep_text(given text) returns bytea language plpgsql as $$
declare
  content bytea := convert_to(given, 'UTF8');
  name bytea := sha256(content);
  made uuid;
begin
  loop
    perform from blobs where sha256 = name for key share;
    if found then return name; end if;
    insert into blobs (id, sha256, size_bytes) values (gen_random_uuid(), name, length(content))
    on conflict (sha256) do nothing returning id into made;
    if made is not null then
      -- in pieces of 1 MiB, as drivers/blobs reads them
      insert into blob_chunks (blob_id, n, bytes)
      select made, n, substring(content from n * 1048576 + 1 for 1048576) from generate_series(0, (length(content) - 1) / 1048576) n;
      return name;
    end if;
  end loop;
end $$;

create function blob_text(name bytea) returns text language sql stable as $$
  select convert_from(string_agg(c.bytes, ''::bytea order by c.n), 'UTF8')
  from blobs b join blob_chunks c on c.blob_id = b.id where b.sha256 = name
$$;

-- A trigger and not a duty of those who write, for messages are written in many places.
create function large_message_is_kept() returns trigger language plpgsql as $$
begin
  new.text_blob := keep_text(new.text_content);
  new.text_content := left(new.text_content, 20000);
  return new;
end $$;
create trigger run_messages_kept before insert on run_messages
  for each row when (octet_length(new.text_content) > 65536 and new.text_blob is null) execute function large_message_is_kept();

-- The message of a run counts as stored while the run is there.
create function large_run_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes
  select coalesce(new.team_id, old.team_id), case when tg_op = 'INSERT' then size_bytes else -size_bytes end
  from blobs where sha256 = coalesce(new.message_blob, old.message_blob);
  return null;
end $$;
create trigger runs_stored_new after insert on runs
  for each row when (new.message_blob is not null) execute function large_run_is_stored();
create trigger runs_stored_gone after delete on runs
  for each row when (old.message_blob is not null) execute function large_run_is_stored();
