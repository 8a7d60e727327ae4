// Gathers everything about a run into one file, and shows how far it is.
import type { GetRunAnswer } from '@runyard/sdk'
import { useEffect, useEffectEvent, useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { Button } from '../../../parts/Button.tsx'
import { Dialog } from '../../../parts/Dialog.tsx'
import { Progress } from '../../../parts/Progress.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { saveBlob } from '../../../parts/files/saveFile.ts'
import { gatherEvidence, type Gathered } from './evidence.ts'
import style from './EvidenceDialog.module.css'

export function EvidenceDialog({ run, onClose }: { run: GetRunAnswer['run']; onClose: () => void }) {
  const [gathered, setGathered] = useState<Gathered>()
  const [problem, setProblem] = useState<string>()
  const [attempt, setAttempt] = useState(1)

  const gather = useEffectEvent(async (signal: AbortSignal) => {
    const blob = await gatherEvidence(runyard, run, { onProgress: setGathered, signal })
    saveBlob(blob, `run-${run.run_number}-evidence.json`)
    toast('The evidence is saved')
    onClose()
  })
  const again = () => {
    setProblem(undefined)
    setAttempt(attempt + 1)
  }
  useEffect(() => {
    const stop = new AbortController()
    gather(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) setProblem(messageOf(error))
    })
    return () => stop.abort()
  }, [attempt])

  const actions = problem ? (
    <>
      <Button onClick={onClose}>Close</Button>
      <Button kind="go" icon="retry" onClick={again}>
        Try again
      </Button>
    </>
  ) : (
    <Button onClick={onClose}>Stop</Button>
  )
  return (
    <Dialog isOpen onClose={onClose} width="narrow" title={`Evidence of run ${run.run_number}`} actions={actions}>
      <p>One JSON file with the run, its steps, events, messages, evaluation and the list of its files.</p>
      {problem ? (
        <p role="alert" className={style.problem}>
          {problem}
        </p>
      ) : (
        <div className={style.progress}>
          <Progress
            title={`Reading ${gathered?.what ?? 'the run'}`}
            state="running"
            done={gathered?.done ?? 0}
            total={gathered?.total}
          />
        </div>
      )}
    </Dialog>
  )
}
