// Makes an artifact: from a built-in page, or from a message that says what it shall show.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { classes } from '../../look/classes.ts'
import { Field, Input, TextArea } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import style from '../agents/NewAgent.module.css'

/** The built-in pages (server: features/artifacts/templates), and last what a person writes. */
const beginnings = [
  {
    template: 'operations_today',
    name: 'Operations today',
    says: 'Runs, failures, cost and what waits for people, of the last 24 hours.',
  },
  {
    template: 'agent_scorecard',
    name: 'Agent scorecard',
    says: 'The agents side by side: runs, evaluations, time and cost.',
  },
  { template: 'queue_ageing', name: 'Queue ageing', says: 'Cases by status and age, and the oldest that wait.' },
  {
    template: 'cost_by_agent_and_model',
    name: 'Cost by agent and model',
    says: 'What was spent, on which agent and which model.',
  },
  { template: 'blank', name: 'Blank', says: 'An empty page to change by messages.' },
  { template: undefined, name: 'Described', says: 'Say what it shall show, or write its steps and template.' },
] as const

const titleMax = 120

export function NewArtifact({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [at, setAt] = useState(0)
  const [title, setTitle] = useState('')
  const [message, setMessage] = useState('')
  const beginning = beginnings[at] ?? beginnings[0]
  const isDescribed = beginning.template === undefined
  const make = useMutation({
    mutationFn: () =>
      runyard.artifacts.create({
        message: isDescribed ? message : `Show the built-in page “${beginning.name}”.`,
        ...(beginning.template !== undefined && { template: beginning.template }),
        ...(title.trim() !== '' && { title: title.trim() }),
      }),
    onSuccess({ artifact_id }) {
      void queries.invalidateQueries({ queryKey: ['artifacts'] })
      void navigate({ to: '/artifacts/$artifactId', params: { artifactId: artifact_id } })
    },
  })
  return (
    <FormDialog
      title="New artifact"
      onClose={onClose}
      verb="Make it"
      unable={isDescribed && message.trim() === '' ? 'Say first what it shall show.' : undefined}
      isBusy={make.isPending}
      error={make.error}
      onSend={() => make.mutate()}
    >
      <fieldset className={style.templates}>
        <legend>How it begins</legend>
        {beginnings.map(({ name, says }, nth) => (
          <label key={name} className={classes(style.choice, nth === at && style.chosen)}>
            <input type="radio" name="beginning" checked={nth === at} onChange={() => setAt(nth)} />
            <b>{name}</b>
            <small>{says}</small>
          </label>
        ))}
      </fieldset>
      {isDescribed && (
        <Field
          label="What shall it show?"
          hint="A model writes the page. A message with fenced steps and an html block is the page itself and needs no model."
        >
          <TextArea
            rows={6}
            maxLength={10_000}
            value={message}
            placeholder="The refunds of the last seven days by amount, and which of them a person had to approve."
            onChange={(event) => setMessage(event.target.value)}
          />
        </Field>
      )}
      <Field label="Title" hint="Without one it is called as its page is.">
        <Input value={title} maxLength={titleMax} onChange={(event) => setTitle(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
