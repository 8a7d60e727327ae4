-- owner: drivers/blobs/. Blobs: bytes by their SHA-256, each kept once, in chunks that can be read one by one.
create table blobs (
  sha256 bytea primary key check (octet_length(sha256) = 32),
  size_bytes bigint not null,
  created_at timestamptz(3) not null default now()
);

create table blob_chunks (
  sha256 bytea not null references blobs (sha256) on delete cascade,
  n int not null,
  bytes bytea not null,
  primary key (sha256, n)
);
-- most files are compressed already, and what is stored plain can be read in part
alter table blob_chunks alter column bytes set storage external;

-- a file that a workspace names cannot lose its bytes
alter table workspace_files add foreign key (sha256) references blobs (sha256);
create index workspace_files_by_blob on workspace_files (sha256);
