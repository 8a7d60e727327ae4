-- owner: features/evaluations/. Ended runs are evaluated in turns by team: the claiming statement goes from team to team, and to the rows of each.
create index runs_to_evaluate_team on runs_to_evaluate (team_id);
