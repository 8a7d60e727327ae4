// A person's mark of a run with what they write about it: both can be changed, and the mark taken back.
import type { RunMark } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Field, Select, TextArea } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Shown } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { runMarksQuery } from '../../queries/evaluations.ts'

interface MarkNoteProps {
  runId: string
  /** Which run: `run 12`. */
  what: string
  onClose: () => void
}

export default function MarkNote({ runId, what, onClose }: MarkNoteProps) {
  const { profile } = useSession()
  const marks = useQuery(runMarksQuery(runId))
  const own = marks.data?.find(({ member_id }) => member_id === profile.id)
  // what was written before must be there before it can be changed
  if (marks.data && !marks.isFetching) return <Form runId={runId} what={what} own={own} onClose={onClose} />
  return (
    <Dialog isOpen onClose={onClose} width="narrow" title={`Your mark for ${what}`}>
      <Shown query={marks} what="marks" rows={2}>
        {() => null}
      </Shown>
    </Dialog>
  )
}

function Form({ runId, what, own, onClose }: MarkNoteProps & { own: RunMark | undefined }) {
  const queries = useQueryClient()
  const [verdict, setVerdict] = useState(own?.verdict ?? 'good')
  const [note, setNote] = useState(own?.note ?? '')
  const input = { verdict, note: note.trim() === '' ? null : note.trim() }
  const save = useMutation({
    mutationFn: () => runyard.evaluations.mark(runId, input),
    async onSuccess() {
      toast('Your mark is saved')
      onClose()
      await queries.invalidateQueries({ queryKey: ['evaluations'] })
    },
  })
  return (
    <FormDialog
      title={`Your mark for ${what}`}
      verb="Save"
      width="narrow"
      isBusy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSend={() => save.mutate()}
      aside={<CopyAs isSmall operation="putRunMark" params={{ run_id: runId }} input={input} />}
    >
      <Field label="It went">
        <Select
          value={verdict}
          onChange={(event) => setVerdict(event.target.value === 'bad' ? 'bad' : 'good')}
          options={[
            { value: 'good', label: 'Good' },
            { value: 'bad', label: 'Bad' },
          ]}
        />
      </Field>
      <Field label="Note" hint="Everybody in the team who sees the run reads it.">
        <TextArea maxLength={2000} value={note} onChange={(event) => setNote(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
