-- owner: features/system/. How large the tables were day by day, by what they keep.
create table stored_sizes (
  day date not null,
  what text not null,
  bytes bigint not null,
  rows bigint not null,
  primary key (day, what)
);
