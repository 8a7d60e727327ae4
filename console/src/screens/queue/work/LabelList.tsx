// The labels of a queue: each renamed or deleted for all its cases at once.
import type { Label } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { LabelTag } from '../../../parts/case/CaseFacts.tsx'
import { labelWords } from '../../../parts/case/words.ts'
import { Confirm } from '../../../parts/Dialog.tsx'
import { Field, Input } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { Menu } from '../../../parts/Menu.tsx'
import { Shown } from '../../../parts/states.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { labelsQuery } from '../../../queries/queues.ts'
import { labelsText } from '../search.ts'
import style from './WorkTab.module.css'

export function LabelList({ queueId }: { queueId: string }) {
  const labels = useQuery(labelsQuery(queueId))
  return (
    <Card title="Labels">
      <Shown query={labels} what="labels" rows={2}>
        {(all) =>
          all.length === 0 ? (
            <p className={style.none}>None yet. A case gets labels from its menu, or when it is added.</p>
          ) : (
            <ul className={style.list}>
              {all.map((label) => (
                <One key={label.id} label={label} queueId={queueId} />
              ))}
            </ul>
          )
        }
      </Shown>
    </Card>
  )
}

function One({ label, queueId }: { label: Label; queueId: string }) {
  const { unable } = useSession()
  const [opened, setOpened] = useState<'rename' | 'delete'>()
  const words = visible(labelWords(label))
  const cannot = unable('queues:write')
  const close = () => setOpened(undefined)
  const { labels = '' } = { labels: labelsText([label]) }
  return (
    <li>
      <Link to="/queues/$queueId" params={{ queueId }} search={{ tab: 'table', labels }}>
        <LabelTag label={label} />
      </Link>
      <Menu
        label={`Label ${words}`}
        trigger={<Button kind="quiet" icon="more" aria-label={`Actions of the label ${words}`} />}
        items={[
          { label: 'Rename…', icon: 'edit', unable: cannot, onSelect: () => setOpened('rename') },
          { label: 'Delete…', icon: 'trash', unable: cannot, onSelect: () => setOpened('delete') },
        ]}
      />
      {opened === 'rename' && <Rename label={label} queueId={queueId} onClose={close} />}
      {opened === 'delete' && <Delete label={label} queueId={queueId} onClose={close} />}
    </li>
  )
}

interface OfLabel {
  label: Label
  queueId: string
  onClose: () => void
}

function useRefresh(queueId: string): () => void {
  const queries = useQueryClient()
  return () => {
    for (const queryKey of [['labels', queueId], ['cases', queueId], ['case']])
      void queries.invalidateQueries({ queryKey })
  }
}

function Rename({ label, queueId, onClose }: OfLabel) {
  const refresh = useRefresh(queueId)
  const [key, setKey] = useState(label.key)
  const [value, setValue] = useState(label.value)
  const save = useMutation({
    mutationFn: () => runyard.labels.update(queueId, label.id, { key: key.trim(), value: value.trim() }),
    onSuccess() {
      refresh()
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Rename the label ${visible(labelWords(label))}`}
      verb="Rename"
      width="narrow"
      isBusy={save.isPending}
      error={save.error}
      unable={value.trim() === '' ? 'Give it a value first.' : undefined}
      onClose={onClose}
      onSend={() => save.mutate()}
    >
      <Field label="Key" hint="May be empty.">
        <Input maxLength={100} value={key} onChange={(event) => setKey(event.target.value)} />
      </Field>
      <Field label="Value">
        <Input maxLength={100} value={value} onChange={(event) => setValue(event.target.value)} />
      </Field>
    </FormDialog>
  )
}

function Delete({ label, queueId, onClose }: OfLabel) {
  const refresh = useRefresh(queueId)
  const remove = useMutation({
    mutationFn: () => runyard.labels.delete(queueId, label.id),
    onSuccess() {
      toast('The label is deleted')
      refresh()
      onClose()
    },
    onError: (error) => toastError('The label was not deleted', error),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete the label ${visible(labelWords(label))}?`}
      verb="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>It is taken off all cases at once. Their timelines say so.</p>
    </Confirm>
  )
}
