-- owner: features/webhooks/. Which delivery a process for suspects sends now: if it dies together with the process that started it, others know the delivery.
alter table delivery_targets add column sending uuid;
