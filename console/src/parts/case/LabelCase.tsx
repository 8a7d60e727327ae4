// The labels of a case: those of its queue, which are put on or taken off, and a new one.
import type { Case } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { labelsQuery } from '../../queries/queues.ts'
import { Button } from '../Button.tsx'
import { Choices } from '../Choices.tsx'
import { Dialog } from '../Dialog.tsx'
import { Field, Input } from '../Field.tsx'
import { Shown } from '../states.tsx'
import { toastError } from '../toasts.tsx'
import { visible } from '../visibleText.ts'
import style from './LabelCase.module.css'
import { useCaseRefresh } from './useMoving.tsx'
import { labelWords } from './words.ts'

interface LabelName {
  key: string
  value: string
}

export default function LabelCase({ item, onClose }: { item: Case; onClose: () => void }) {
  const queries = useQueryClient()
  const refresh = useCaseRefresh()
  const labels = useQuery(labelsQuery(item.queue_id))
  const [chosen, setChosen] = useState(() => item.labels.map(({ id }) => id))
  const [text, setText] = useState('')
  const toggle = useMutation({
    mutationFn: (id: string) =>
      chosen.includes(id)
        ? runyard.labels.unlink(item.queue_id, item.id, { label_ids: [id] })
        : runyard.labels.link(item.queue_id, item.id, { label_ids: [id] }),
    onSuccess: (_, id) => setChosen((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now, id])),
    onError: (error) => toastError('The labels are as they were', error),
    onSettled: () => refresh(item),
  })
  const add = useMutation({
    mutationFn: (label: LabelName) => runyard.labels.link(item.queue_id, item.id, { labels: [label] }),
    onSuccess({ labels: now }) {
      setText('')
      setChosen(now.map(({ id }) => id))
      void queries.invalidateQueries({ queryKey: ['labels', item.queue_id] })
    },
    onSettled: () => refresh(item),
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    const label = nameOf(text)
    if (label.value !== '' && !add.isPending) add.mutate(label)
  }
  return (
    <Dialog isOpen onClose={onClose} width="narrow" title={`Labels of “${visible(item.title.slice(0, 60))}”`}>
      <Shown query={labels} what="labels" rows={4}>
        {(all) =>
          all.length === 0 ? (
            <p className="dim">This queue has no label yet.</p>
          ) : (
            <Choices
              what="labels"
              choices={all.map((label) => ({ value: label.id, label: visible(labelWords(label)) }))}
              chosen={chosen}
              onChoose={(id) => {
                if (!toggle.isPending) toggle.mutate(id)
              }}
            />
          )
        }
      </Shown>
      <form className={style.form} onSubmit={submit}>
        <Field
          label="New label"
          hint="A value, or a key and a value: region: eu"
          problem={add.error ? messageOf(add.error) : undefined}
        >
          <Input maxLength={200} value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
        <Button type="submit" isBusy={add.isPending} unable={text.trim() === '' ? 'Write a label first.' : undefined}>
          Add
        </Button>
      </form>
    </Dialog>
  )
}

function nameOf(text: string): LabelName {
  const at = text.indexOf(':')
  if (at < 0) return { key: '', value: text.trim() }
  return { key: text.slice(0, at).trim(), value: text.slice(at + 1).trim() }
}
