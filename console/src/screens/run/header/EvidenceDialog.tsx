// Saves the evidence bundle of a run: what is in it, with the contents of files or without.
import { useMutation } from '@tanstack/react-query'
import type { GetRunAnswer } from '@runyard/sdk'
import { useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { Button } from '../../../parts/Button.tsx'
import { Dialog } from '../../../parts/Dialog.tsx'
import { saveBlob } from '../../../parts/files/saveFile.ts'
import { isEnded } from '../../../parts/Status.tsx'
import { toast } from '../../../parts/toasts.tsx'
import style from './EvidenceDialog.module.css'

export function EvidenceDialog({ run, onClose }: { run: GetRunAnswer['run']; onClose: () => void }) {
  const [isWithContents, setWithContents] = useState(false)
  const save = useMutation({
    mutationFn: () => runyard.runs.evidence(run.id, { contents: isWithContents }),
    onSuccess({ blob, name }) {
      saveBlob(blob, name ?? `run-${run.run_number}-evidence.zip`)
      toast('The evidence is saved')
      onClose()
    },
  })
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="go" icon="download" isBusy={save.isPending} onClick={() => save.mutate()}>
        Save
      </Button>
    </>
  )
  return (
    <Dialog isOpen onClose={onClose} width="narrow" title={`Evidence of run ${run.run_number}`} actions={actions}>
      <p>
        A zip archive with the run’s events, messages, steps, requests, config, deliveries and evaluations, and a page
        to read. It is signed: <code>runyard evidence verify</code> finds every change that was made to it.
      </p>
      {!isEnded(run.status) && <p className={style.note}>The run has not ended, so its log is not sealed yet.</p>}
      <label className={style.choice}>
        <input type="checkbox" checked={isWithContents} onChange={({ target }) => setWithContents(target.checked)} />
        With the contents of its files
      </label>
      {save.error && (
        <p role="alert" className={style.problem}>
          {messageOf(save.error)}
        </p>
      )}
    </Dialog>
  )
}
