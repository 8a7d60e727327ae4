-- owner: features/sandboxes/. How many workers died while they ran a command.
alter table sandbox_execs add column deaths smallint not null default 0;
