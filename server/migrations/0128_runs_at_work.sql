-- owner: engine/. The slots that agents with a cap hold are counted as they are while their team's row is locked.
-- Older code: works.

-- Volatile: it sees what was committed before it is called. Whoever gives slots calls it under the lock of the team's row, in a statement that may
-- have begun long before. Strict: where no agent has a cap, nothing is read.
create function runs_at_work(team uuid, agents uuid[]) returns table (id uuid, agent_id uuid) language plpgsql volatile strict rows 50 as $$
begin
  return query select r.id, r.agent_id from runs r where r.team_id = team and r.admitted_at is not null and r.agent_id = any(agents);
end $$;
