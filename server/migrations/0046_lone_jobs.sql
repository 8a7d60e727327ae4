-- owner: kit/. Which process for suspects does a job now: if it dies together with the process that started it, others count its death.
alter table job_deaths add column worker uuid;
