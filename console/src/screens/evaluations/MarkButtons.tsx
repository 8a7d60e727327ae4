// What a person thinks of a run: good or bad, with a note. The one that is pressed takes its mark back.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import style from './EvaluationsScreen.module.css'

const MarkNote = lazy(() => import('./MarkNote.tsx'))

type Verdict = 'good' | 'bad'
/** Null: no mark. */
type Mark = { verdict: Verdict; note: string | null } | null

interface MarkButtonsProps {
  runId: string
  /** The mark of the person who is signed in. */
  own: Verdict | null
  /** How many members marked it so. */
  good: number
  bad: number
  /** Which run, for screen readers. */
  what: string
}

export function MarkButtons({ runId, own, good, bad, what }: MarkButtonsProps) {
  const { profile, unable } = useSession()
  const queries = useQueryClient()
  const [isWriting, setWriting] = useState(false)
  const put = async (mark: Mark) => {
    if (mark) await runyard.evaluations.mark(runId, mark)
    else await runyard.evaluations.unmark(runId)
    await queries.invalidateQueries({ queryKey: ['evaluations'] })
  }
  const mark = useMutation({
    async mutationFn(verdict: Verdict) {
      // a mark replaces the one before with its note, which is to stay
      const before = own === null ? null : await ownMark(runId, profile.id)
      await put(verdict === own ? null : { verdict, note: before?.note ?? null })
      return before
    },
    onSuccess(before, verdict) {
      if (verdict === own && before) toast('Your mark is taken back', () => restore.mutate(before))
    },
    onError: (error) => toastError('The run was not marked', error),
  })
  const restore = useMutation({
    mutationFn: put,
    onError: (error) => toastError('The run was not marked', error),
  })
  const button = (verdict: Verdict, word: string, marks: number) => {
    const label = marks > 0 ? `${word} ${marks}` : word
    return (
      <Button
        kind="quiet"
        unable={unable('evals:write')}
        isBusy={mark.isPending && mark.variables === verdict}
        aria-pressed={own === verdict}
        aria-label={`${label}: ${what}`}
        onClick={() => mark.mutate(verdict)}
      >
        {label}
      </Button>
    )
  }
  return (
    <span className={style.marks} role="group" aria-label={`Your mark for ${what}`}>
      {button('good', 'Good', good)}
      {button('bad', 'Bad', bad)}
      <Button
        kind="quiet"
        icon="edit"
        unable={unable('evals:write')}
        aria-label={`Note on ${what}`}
        title="Mark it with a note"
        onClick={() => setWriting(true)}
      />
      <Suspense>{isWriting && <MarkNote runId={runId} what={what} onClose={() => setWriting(false)} />}</Suspense>
    </span>
  )
}

async function ownMark(runId: string, me: string): Promise<Mark> {
  const { marks } = await runyard.evaluations.listMarks(runId)
  const own = marks.find(({ member_id }) => member_id === me)
  return own ? { verdict: own.verdict, note: own.note } : null
}
