-- owner: kit/. How many processes died over a job at the place where its work is now.
create table job_deaths (
  job text not null,
  -- the job's key, or its id where it has none
  ref text not null,
  place text not null,
  deaths smallint not null,
  died_at timestamptz(3) not null default now(),
  primary key (job, ref)
);
