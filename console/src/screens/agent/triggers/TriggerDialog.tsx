// Makes or changes a trigger. One that has an address shows it, to be copied to its sender.
import type { Trigger } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { CopyText } from '../../../parts/CopyText.tsx'
import { Field, Input, Select, TextArea } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { triggersQuery } from '../../../queries/triggers.ts'
import { EventFields, PollFields, WebhookFields } from './KindFields.tsx'
import { formOf, inputOf, unableOf, type TriggerForm } from './triggerForm.ts'
import { kindWords, nameOf } from './triggerWords.ts'
import style from './TriggersTab.module.css'

interface TriggerDialogProps {
  agentId: string
  /** Undefined: a new one. */
  trigger: Trigger | undefined
  onMade: (triggerId: string) => void
  onClose: () => void
}

const rootOf: Record<Trigger['kind'], string> = { webhook: 'body', event: 'event.data', poll: 'item', email: 'mail' }

export function TriggerDialog({ agentId, trigger, onMade, onClose }: TriggerDialogProps) {
  const queries = useQueryClient()
  const [form, setForm] = useState(() => formOf(trigger))
  const set = (change: Partial<TriggerForm>) => setForm({ ...form, ...change })
  const save = useMutation({
    mutationFn: async () =>
      trigger
        ? (await runyard.triggers.update(trigger.id, inputOf(form))).trigger
        : (await runyard.triggers.create(agentId, { kind: form.kind, ...inputOf(form) })).trigger,
    onSuccess(saved) {
      void queries.invalidateQueries({ queryKey: triggersQuery(agentId).queryKey })
      toast(trigger ? 'The trigger is changed' : `“${nameOf(saved)}” starts runs now`)
      // its address is wanted next
      if (!trigger && (saved.webhook || saved.email)) {
        queries.setQueryData(triggersQuery(agentId).queryKey, (all = []) => [
          ...all.filter(({ id }) => id !== saved.id),
          saved,
        ])
        onMade(saved.id)
      } else onClose()
    },
  })
  const address = trigger?.webhook?.url ?? trigger?.email?.address
  const root = rootOf[form.kind]
  return (
    <FormDialog
      title={trigger ? 'Change the trigger' : 'New trigger'}
      onClose={onClose}
      verb={trigger ? 'Save' : 'Make'}
      unable={unableOf(form, trigger)}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
      width="wide"
    >
      {address && (
        <p className={style.address}>
          <span>{trigger?.webhook ? 'Senders post to this URL:' : 'Mail goes to this address:'}</span>
          <CopyText text={address} what={trigger?.webhook ? 'URL' : 'address'} />
        </p>
      )}
      {!trigger && (
        <Field label="What starts runs">
          <Select
            options={Object.entries(kindWords).map(([value, label]) => ({ value, label }))}
            value={form.kind}
            onChange={(event) => set({ kind: event.target.value as Trigger['kind'] })}
          />
        </Field>
      )}
      <Field label="Name">
        <Input
          value={form.name}
          maxLength={200}
          placeholder="New orders"
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      {form.kind === 'webhook' && (
        <WebhookFields form={form} set={set} hasSecret={trigger?.webhook?.has_secret === true} />
      )}
      {form.kind === 'event' && <EventFields form={form} set={set} />}
      {form.kind === 'poll' && <PollFields form={form} set={set} />}
      <Field label="Filter" hint="An expression. Only what makes it true starts a run. Empty: everything does.">
        <Input
          value={form.filter}
          maxLength={2000}
          placeholder={`${root}.status == "open"`}
          onChange={(event) => set({ filter: event.target.value })}
        />
      </Field>
      <Field label="Message" hint="The message of each run, with {{ }} for values. Empty: what came in is the message.">
        <TextArea
          value={form.message}
          rows={3}
          maxLength={65_536}
          placeholder={`Look at {{ ${root}.id }}`}
          onChange={(event) => set({ message: event.target.value })}
        />
      </Field>
      <Field
        label="Key"
        hint="An expression. What comes with a key that has started a run before starts none. Empty: the id that the sender itself gives."
      >
        <Input
          value={form.dedupe_key}
          maxLength={2000}
          placeholder={`${root}.id`}
          onChange={(event) => set({ dedupe_key: event.target.value })}
        />
      </Field>
      <Field label="Runs at once" hint="Empty: no limit of its own. The others wait.">
        <Input
          type="number"
          min={1}
          max={10_000}
          value={form.concurrency}
          onChange={(event) => set({ concurrency: event.target.value })}
        />
      </Field>
    </FormDialog>
  )
}
