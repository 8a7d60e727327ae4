// A message to the run: what is typed, what will happen with it, and sending it.
import type { GetRunAnswer } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent, KeyboardEvent } from 'react'
import { keyCaps } from '../../../app/keys.ts'
import { messageOf, runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { bytes } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { Field, TextArea } from '../../../parts/Field.tsx'
import { isEnded } from '../../../parts/Status.tsx'
import { useKeptText } from '../../../parts/useKeptText.ts'
import style from './Composer.module.css'

const bytesMax = 64 * 1024

/** What posting does now: a run that has ended begins again. */
function consequenceOf({ status, waiting_on }: GetRunAnswer['run']): string {
  if (isEnded(status)) return 'The run has ended. The message starts it again; its log, usage and limits continue.'
  if (status === 'waiting' && waiting_on?.kind === 'human')
    return 'The run reads it at its next turn. It does not answer the open request: that still waits.'
  return 'The run reads it at its next turn.'
}

interface ComposerProps {
  run: GetRunAnswer['run']
  onSent?: () => void
}

export function Composer({ run, onSent }: ComposerProps) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [text, setText] = useKeptText(`message.${run.id}`)
  const size = new TextEncoder().encode(text).length
  const post = useMutation({
    mutationFn: () => runyard.runs.postMessage(run.id, { message: text }),
    onSuccess: () => {
      setText('')
      onSent?.()
      return queries.invalidateQueries({ queryKey: ['run', run.id] })
    },
  })
  const problem =
    size > bytesMax
      ? `The message has ${bytes(size)}; ${bytes(bytesMax)} is the most. Put large things into files and say where they are.`
      : post.error
        ? messageOf(post.error)
        : undefined
  const cannot =
    unable('runs:write') ??
    (run.source === 'artifact'
      ? 'This run works on an artifact. Write to the artifact instead.'
      : text.trim() === ''
        ? 'Write something first.'
        : size > bytesMax
          ? problem
          : undefined)

  const send = () => {
    if (cannot === undefined && !post.isPending) post.mutate()
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) send()
  }

  return (
    <form className={style.composer} onSubmit={onSubmit}>
      <Field label="Message to the run" hint={consequenceOf(run)} problem={problem}>
        <TextArea rows={3} value={text} onChange={(event) => setText(event.target.value)} onKeyDown={onKeyDown} />
      </Field>
      <Button kind="go" type="submit" unable={cannot} isBusy={post.isPending} keys={keyCaps('mod+Enter')}>
        Send
      </Button>
    </form>
  )
}
