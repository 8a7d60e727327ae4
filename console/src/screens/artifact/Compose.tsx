// The next message of the chat, with the element of the page that it is about.
import type { Artifact, ArtifactRevision } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { KeyboardEvent } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { keyCaps } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { Field, TextArea } from '../../parts/Field.tsx'
import { toastError } from '../../parts/toasts.tsx'
import { useKeptText } from '../../parts/useKeptText.ts'
import { isWorking } from '../../queries/artifacts.ts'
import style from './ArtifactScreen.module.css'
import { About } from './About.tsx'
import { notEditor } from './rights.ts'
import type { Selected } from './selected.ts'

const messageMax = 10_000

export interface ComposeProps {
  artifact: Artifact
  canEdit: boolean
  /** The older revision that is looked at: a message changes that one. */
  fromRevision: ArtifactRevision | undefined
  selected: Selected | undefined
  onSelected: (selected: Selected | undefined) => void
  isSelecting: boolean
  onSelecting: (isSelecting: boolean) => void
}

export function Compose({
  artifact,
  canEdit,
  fromRevision,
  selected,
  onSelected,
  isSelecting,
  onSelecting,
}: ComposeProps) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [text, setText] = useKeptText(`artifact.${artifact.id}`)
  const working = isWorking(artifact)
  const changed = () => queries.invalidateQueries({ queryKey: ['artifact', artifact.id] })
  const send = useMutation({
    mutationFn: () =>
      runyard.artifacts.sendMessage(artifact.id, {
        message: text,
        ...(fromRevision && { from_revision_id: fromRevision.id }),
        ...(selected && { selected_element: selected }),
      }),
    onSuccess() {
      setText('')
      onSelected(undefined)
      void queries.invalidateQueries({ queryKey: ['artifactMessages', artifact.id] })
      return changed()
    },
  })
  const stop = useMutation({
    mutationFn: () => runyard.artifacts.stop(artifact.id),
    onSuccess: changed,
    onError: (error) => toastError('The work was not stopped', error),
  })
  const mayNot = unable('artifacts:write') ?? notEditor(canEdit)
  const cannotSend =
    mayNot ??
    (working
      ? 'Something works on the artifact. Wait until it is done, or stop it.'
      : text.trim() === ''
        ? 'Write something first.'
        : undefined)
  const sendNow = () => {
    if (cannotSend === undefined && !send.isPending) send.mutate()
  }
  const cannotSelect =
    mayNot ??
    (fromRevision
      ? 'Show the current revision first.'
      : artifact.html_code_present
        ? undefined
        : 'There is no page yet.')
  return (
    <form
      className={style.compose}
      onSubmit={(event) => {
        event.preventDefault()
        sendNow()
      }}
    >
      {selected && (
        <span>
          <About selected={selected}>
            <Button
              kind="quiet"
              icon="cross"
              aria-label="Not about this element"
              onClick={() => onSelected(undefined)}
            />
          </About>
        </span>
      )}
      <Field
        label="What shall change?"
        hint={fromRevision ? `It changes revision ${fromRevision.version}, not the current one.` : undefined}
        problem={send.error ? messageOf(send.error) : undefined}
      >
        <TextArea
          rows={3}
          maxLength={messageMax}
          value={text}
          placeholder={selected ? 'Ask about the selected element' : 'Add a chart of the failed runs by day.'}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) sendNow()
          }}
        />
      </Field>
      <div className={style.acts}>
        <Button
          kind="quiet"
          icon="browser"
          unable={cannotSelect}
          aria-pressed={isSelecting}
          keys={['E']}
          onClick={() => onSelecting(!isSelecting)}
        >
          Select an element
        </Button>
        {working ? (
          <Button icon="stop" unable={mayNot} isBusy={stop.isPending} onClick={() => stop.mutate()}>
            Stop
          </Button>
        ) : (
          <Button kind="go" type="submit" unable={cannotSend} isBusy={send.isPending} keys={keyCaps('mod+Enter')}>
            Send
          </Button>
        )}
      </div>
    </form>
  )
}
