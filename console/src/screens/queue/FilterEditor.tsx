// What is in the panel of a filter of cases: choices, or a time.
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { StatusShape } from '../../look/StatusShape.tsx'
import { Button } from '../../parts/Button.tsx'
import {
  caseShapes,
  caseStatuses,
  caseStatusWords,
  labelWords,
  priorities,
  priorityWords,
} from '../../parts/case/words.ts'
import { Choices } from '../../parts/Choices.tsx'
import { Field, Input } from '../../parts/Field.tsx'
import style from '../../parts/filters/filters.module.css'
import { fieldOf, momentOf, momentOfField, presets } from '../../parts/filters/times.ts'
import { Shown } from '../../parts/states.tsx'
import { visible } from '../../parts/visibleText.ts'
import { labelsQuery } from '../../queries/queues.ts'
import { labelsOf, labelsText, prioritiesOf, statusesOf, type FilterName, type QueueSearch } from './search.ts'

interface EditorProps {
  name: FilterName
  queueId: string
  search: QueueSearch
  zone: string
  /** `isWhole`: nothing more is to be chosen. */
  onChange: (changes: Partial<QueueSearch>, isWhole: boolean) => void
}

const toggled = <Word extends string>(words: readonly Word[], chosen: Word[], one: string): string | undefined => {
  const now = words.filter((word) => (word === one ? !chosen.includes(word) : chosen.includes(word)))
  return now.length === 0 || now.length === words.length ? undefined : now.join(',')
}

export default function FilterEditor(props: EditorProps) {
  const { name, search, onChange } = props
  if (name === 'status')
    return (
      <Choices
        what="statuses"
        choices={caseStatuses.map((value) => ({
          value,
          label: caseStatusWords[value],
          mark: <StatusShape shape={caseShapes[value]} />,
        }))}
        chosen={statusesOf(search)}
        onChoose={(value) => onChange({ status: toggled(caseStatuses, statusesOf(search), value) }, false)}
      />
    )
  if (name === 'priority')
    return (
      <Choices
        what="priorities"
        choices={priorities.map((value) => ({ value, label: priorityWords[value] }))}
        chosen={prioritiesOf(search)}
        onChoose={(value) => onChange({ priority: toggled(priorities, prioritiesOf(search), value) }, false)}
      />
    )
  if (name === 'labels') return <LabelEditor {...props} />
  return <TimeEditor {...props} name={name === 'updated' ? 'updated' : 'created'} />
}

/** A case fits when it has one of the chosen labels for each key that was chosen. */
function LabelEditor({ queueId, search, onChange }: EditorProps) {
  const labels = useQuery(labelsQuery(queueId))
  const chosen = labelsOf(search)
  const isChosen = (one: { key: string; value: string }) =>
    chosen.some(({ key, value }) => key === one.key && value === one.value)
  return (
    <Shown query={labels} what="labels" rows={4}>
      {(all) =>
        all.length === 0 ? (
          <p className={style.note}>This queue has no label yet.</p>
        ) : (
          <Choices
            what="labels"
            choices={all.map((label) => ({ value: label.id, label: visible(labelWords(label)) }))}
            chosen={all.filter(isChosen).map(({ id }) => id)}
            onChoose={(id) => {
              const label = all.find((one) => one.id === id)
              if (!label) return
              const others = chosen.filter(({ key, value }) => key !== label.key || value !== label.value)
              onChange({ labels: labelsText(isChosen(label) ? others : [...others, label]) }, false)
            }}
          />
        )
      }
    </Shown>
  )
}

function TimeEditor({ name, search, zone, onChange }: EditorProps & { name: 'created' | 'updated' }) {
  const now = search[name]
  const [field, setField] = useState(() => (now === undefined ? '' : fieldOf(momentOf(now, Date.now(), zone), zone)))
  function submit(event: FormEvent) {
    event.preventDefault()
    onChange({ [name]: momentOfField(field, zone) }, true)
  }
  return (
    <>
      <Choices
        what="times"
        choices={presets.map(({ text, says }) => ({ value: text, label: says }))}
        chosen={[now ?? '']}
        onChoose={(since) => onChange({ [name]: since }, true)}
      />
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
