-- owner: features/webhooks/. How many processes died while they had a target and something to send to it.
alter table delivery_targets add column deaths smallint not null default 0;
