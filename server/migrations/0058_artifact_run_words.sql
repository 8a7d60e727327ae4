-- owner: engine/. Outside transactions: the words of the runs of artifacts, which run_search does not have. Only these runs pay for it.

create index concurrently if not exists runs_of_artifacts_by_word on runs
  using gin (run_words(team_id, run_text(title, case_title, message))) where source = 'artifact'
