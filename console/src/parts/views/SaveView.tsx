// The dialog that names a view: a new one with the filters of now, or one that gets another name.
import type { SavedView } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { Button } from '../Button.tsx'
import { Dialog } from '../Dialog.tsx'
import { Field, Input } from '../Field.tsx'
import { toast } from '../toasts.tsx'
import style from './SaveView.module.css'

interface SaveViewProps {
  screen: SavedView['screen']
  /** The one that is renamed; without it a new one is made. */
  view: SavedView | undefined
  filter: Record<string, string>
  onClose: () => void
  /** Opens the new one. */
  onSaved: (view: SavedView) => void
}

export default function SaveView({ screen, view, filter, onClose, onSaved }: SaveViewProps) {
  const formId = useId()
  const [name, setName] = useState(view?.name ?? '')
  const [isShared, setShared] = useState(view?.is_shared ?? false)
  const queries = useQueryClient()
  const saving = useMutation({
    mutationFn: (fields: { name: string; is_shared: boolean }) =>
      view ? runyard.views.update(view.id, fields) : runyard.views.create({ screen, filter, ...fields }),
    async onSuccess({ view: saved }) {
      await queries.invalidateQueries({ queryKey: ['views', screen] })
      onClose()
      toast(view ? `The view is called ${saved.name} now` : `Saved the view ${saved.name}`)
      if (!view) onSaved(saved)
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    if (name.trim() !== '') saving.mutate({ name: name.trim(), is_shared: isShared })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="narrow"
      title={view ? `Rename the view ${view.name}` : 'Save these filters as a view'}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            kind="go"
            isBusy={saving.isPending}
            unable={name.trim() === '' ? 'Give it a name first.' : undefined}
          >
            {view ? 'Rename' : 'Save view'}
          </Button>
        </>
      }
    >
      <form id={formId} className={style.form} onSubmit={submit}>
        <Field label="Name" problem={saving.error ? messageOf(saving.error) : undefined}>
          <Input
            maxLength={100}
            placeholder="Failed today"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <label className={style.share}>
          <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} />
          <span>
            Share with the team
            <span className="dim small">Everybody sees it. Only you can change it.</span>
          </span>
        </label>
      </form>
    </Dialog>
  )
}
