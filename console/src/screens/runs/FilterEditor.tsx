// What is in the panel of a filter: choices, or a time.
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent, type ReactNode } from 'react'
import { StatusShape } from '../../look/StatusShape.tsx'
import { AgentChoices } from '../../parts/AgentChoices.tsx'
import { Button } from '../../parts/Button.tsx'
import { Choices } from '../../parts/Choices.tsx'
import { Field, Input } from '../../parts/Field.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { shapeOf } from '../../parts/Status.tsx'
import { queueNamesQuery } from '../../queries/queues.ts'
import { membersQuery } from '../../queries/team.ts'
import style from '../../parts/filters/filters.module.css'
import {
  severities,
  sources,
  statuses,
  statusesOf,
  withStatuses,
  type FilterName,
  type FilterStatus,
  type RunsSearch,
} from './search.ts'
import { fieldOf, momentOf, momentOfField, presets } from '../../parts/filters/times.ts'
import { filterStatusWord, severityWords, sourceWords } from './words.ts'

export type ChangeSearch = (changes: Partial<RunsSearch>) => void

interface EditorProps {
  search: RunsSearch
  zone: string
  /** `isWhole`: nothing more is to be chosen. */
  onChange: (changes: Partial<RunsSearch>, isWhole: boolean) => void
}

export default function FilterEditor({ name, ...props }: EditorProps & { name: FilterName }) {
  const Editor = editors[name]
  return <Editor {...props} />
}

const editors: Record<FilterName, (props: EditorProps) => ReactNode> = {
  status: StatusEditor,
  agent_id: AgentEditor,
  since: (props) => <TimeEditor {...props} name="since" />,
  until: (props) => <TimeEditor {...props} name="until" />,
  user_id: MemberEditor,
  case_queue_id: QueueEditor,
  source: ({ search, onChange }) => (
    <Choices
      what="sources"
      choices={sources.map((value) => ({ value, label: sourceWords[value] }))}
      chosen={[search.source ?? '']}
      onChoose={(value) => onChange({ source: sources.find((source) => source === value) }, true)}
    />
  ),
  search: WordsEditor,
  has_issues: ({ search, onChange }) => (
    <Choices
      what="answers"
      choices={[
        { value: 'true', label: 'The evaluation found issues' },
        { value: 'false', label: 'The evaluation found none' },
      ]}
      chosen={[search.has_issues ?? '']}
      onChoose={(value) => onChange({ has_issues: value === 'true' ? 'true' : 'false' }, true)}
    />
  ),
  issue_severity: ({ search, onChange }) => (
    <Choices
      what="severities"
      choices={severities.map((value) => ({ value, label: `A ${severityWords[value]} issue was found` }))}
      chosen={[search.issue_severity ?? '']}
      onChoose={(value) => onChange({ issue_severity: severities.find((one) => one === value) }, true)}
    />
  ),
}

const shapeOfFilter = (status: FilterStatus) =>
  status === 'needs_attention' ? 'human' : shapeOf({ status, waiting_on: null })

function StatusEditor({ search, onChange }: EditorProps) {
  const chosen = statusesOf(search)
  const toggle = (value: string) =>
    statuses.filter((status) => (status === value ? !chosen.includes(status) : chosen.includes(status)))
  return (
    <Choices
      what="statuses"
      choices={statuses.map((value) => ({
        value,
        label: filterStatusWord(value),
        mark: <StatusShape shape={shapeOfFilter(value)} />,
      }))}
      chosen={chosen}
      onChoose={(value) => onChange({ status: withStatuses(toggle(value)) }, false)}
    />
  )
}

function AgentEditor({ search, onChange }: EditorProps) {
  return <AgentChoices chosen={search.agent_id} onChoose={(agent_id) => onChange({ agent_id }, true)} />
}

function MemberEditor({ search, onChange }: EditorProps) {
  const { data, error } = useQuery(membersQuery)
  if (error) return <Failed error={error} />
  if (!data) return <Skeleton rows={4} what="members" />
  return (
    <Choices
      what="members"
      choices={data.members.map(({ id, name, role }) => ({ value: id, label: name, detail: role }))}
      chosen={[search.user_id ?? '']}
      onChoose={(user_id) => onChange({ user_id }, true)}
    />
  )
}

function QueueEditor({ search, onChange }: EditorProps) {
  const { data, error } = useQuery(queueNamesQuery)
  if (error) return <Failed error={error} />
  if (!data) return <Skeleton rows={4} what="queues" />
  if (data.length === 0) return <p className={style.note}>There are no queues yet.</p>
  return (
    <Choices
      what="queues"
      choices={data.map(({ id, name }) => ({ value: id, label: name }))}
      chosen={[search.case_queue_id ?? '']}
      onChoose={(case_queue_id) => onChange({ case_queue_id }, true)}
    />
  )
}

function WordsEditor({ search, onChange }: EditorProps) {
  const [text, setText] = useState(search.search ?? '')
  function submit(event: FormEvent) {
    event.preventDefault()
    onChange({ search: text.trim() || undefined }, true)
  }
  return (
    <form className={style.form} onSubmit={submit}>
      <Field
        label="Words in title, case and message"
        hint="All of them must be there. A final * stands for any ending."
      >
        <Input type="search" maxLength={500} value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
      <Button type="submit">Set</Button>
    </form>
  )
}

function TimeEditor({ name, search, zone, onChange }: EditorProps & { name: 'since' | 'until' }) {
  const now = search[name]
  const [field, setField] = useState(() => (now === undefined ? '' : fieldOf(momentOf(now, Date.now(), zone), zone)))
  function submit(event: FormEvent) {
    event.preventDefault()
    onChange({ [name]: momentOfField(field, zone) }, true)
  }
  return (
    <>
      {name === 'since' && (
        <Choices
          what="times"
          choices={presets.map(({ text, says }) => ({ value: text, label: says }))}
          chosen={[now ?? '']}
          onChoose={(since) => onChange({ since }, true)}
        />
      )}
      <form className={style.form} onSubmit={submit}>
        <Field label="Exact time" hint={`In ${zone}`}>
          <Input type="datetime-local" value={field} onChange={(event) => setField(event.target.value)} />
        </Field>
        <Button type="submit" unable={field === '' ? 'Write a date and a time first.' : undefined}>
          Set
        </Button>
      </form>
    </>
  )
}
