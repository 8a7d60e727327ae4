-- owner: engine/driving/. A breaker is one team's: what its own runs provoke must not turn others away from a provider.
-- rows only spare time, and all of them are minutes old
delete from model_breakers;
drop index model_breakers_key;
alter table model_breakers alter column team_id set not null;
alter table model_breakers add column is_own boolean not null;
comment on column model_breakers.team_id is 'whose runs it fails';
comment on column model_breakers.is_own is 'with the team''s own key, not the server''s';
create unique index model_breakers_key on model_breakers (provider, team_id, is_own);
