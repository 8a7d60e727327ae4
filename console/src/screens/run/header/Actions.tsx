// What can be done with a run: message, retry, share, stop, and rarer things in a menu.
import type { GetRunAnswer } from '@runyard/sdk'
import { useState } from 'react'
import { useCommands } from '../../../app/commands.ts'
import { useKeys, type KeyBinding } from '../../../app/keys.ts'
import { useSession } from '../../../app/session.tsx'
import { openStartRun } from '../../../app/startingRun.ts'
import { Icon } from '../../../look/Icon.tsx'
import { Button } from '../../../parts/Button.tsx'
import { copy } from '../../../parts/CopyText.tsx'
import { Menu } from '../../../parts/Menu.tsx'
import { isEnded } from '../../../parts/Status.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { useRunAddress } from '../address.ts'
import { MessageDialog } from '../messages/MessageDialog.tsx'
import style from './Actions.module.css'
import { DeleteRun } from './DeleteRun.tsx'
import { EvidenceDialog } from './EvidenceDialog.tsx'
import { RetryDialog } from './RetryDialog.tsx'
import { StopRun } from './StopRun.tsx'

type Open = 'message' | 'retry' | 'stop' | 'evidence' | 'delete' | undefined

async function share(): Promise<void> {
  await copy(window.location.href)
  toast('The link to this page is copied, with the step that is selected')
}

export function Actions({ run }: { run: GetRunAnswer['run'] }) {
  const { unable } = useSession()
  const { search } = useRunAddress()
  const [open, setOpen] = useState<Open>()
  const mayWrite = unable('runs:write')
  const hasEnded = isEnded(run.status)
  const cannotStop = mayWrite ?? (hasEnded ? 'The run has ended.' : undefined)
  const cannotMessage =
    mayWrite ??
    (run.source === 'artifact' ? 'This run works on an artifact. Write to the artifact instead.' : undefined)
  const cannotRetry =
    mayWrite ??
    (run.source === 'artifact'
      ? 'This run works on an artifact. Refresh the artifact instead.'
      : hasEnded
        ? undefined
        : 'The run has not ended. Stop it first, or wait for its end.')
  const cannotDelete = mayWrite ?? (hasEnded ? undefined : 'Only a run that has ended can be deleted. Stop it first.')
  const close = () => setOpen(undefined)

  const message: KeyBinding = { keys: 'm', says: 'Write a message', where: 'Run', run: () => setOpen('message') }
  const stop: KeyBinding = { keys: 's', says: 'Stop the run', where: 'Run', run: () => setOpen('stop') }
  useKeys([...(cannotMessage === undefined ? [message] : []), ...(cannotStop === undefined ? [stop] : [])])
  useCommands([
    {
      id: 'run-message',
      label: 'Write a message to this run',
      icon: 'message',
      unable: cannotMessage,
      run: () => setOpen('message'),
    },
    { id: 'run-stop', label: 'Stop this run', icon: 'stop', unable: cannotStop, run: () => setOpen('stop') },
    { id: 'run-retry', label: 'Retry this run', icon: 'retry', unable: cannotRetry, run: () => setOpen('retry') },
    { id: 'run-share', label: 'Copy the link to this page', icon: 'share', run: () => void share() },
    {
      id: 'run-evidence',
      label: 'Save the evidence of this run',
      icon: 'download',
      words: 'bundle export',
      run: () => setOpen('evidence'),
    },
  ])

  return (
    <div className={style.actions}>
      <Button icon="message" unable={cannotMessage} onClick={() => setOpen('message')} title="Message (m)">
        <span className={style.word}>Message</span>
      </Button>
      <Button className={style.wide} icon="retry" unable={cannotRetry} onClick={() => setOpen('retry')}>
        Retry from…
      </Button>
      <Button className={style.wide} icon="share" onClick={() => void share()} title="Copies the link to what you see">
        Share
      </Button>
      {!hasEnded && (
        <Button kind="no" icon="stop" unable={cannotStop} onClick={() => setOpen('stop')} title="Stop (s)">
          Stop
        </Button>
      )}
      <Menu
        label="More about this run"
        trigger={
          <button type="button" className={style.more} aria-label="More">
            <Icon name="more" />
          </button>
        }
        items={[
          { label: 'Retry from…', icon: 'retry', unable: cannotRetry, onSelect: () => setOpen('retry') },
          {
            label: 'Edit the input and run…',
            icon: 'edit',
            unable: mayWrite,
            onSelect: () =>
              openStartRun({
                agentId: run.agent_id,
                buildId: run.build_id,
                message: run.message,
                title: run.title,
              }),
          },
          { label: 'Copy the link to this page', icon: 'share', onSelect: () => void share() },
          { label: 'Save the evidence…', icon: 'download', onSelect: () => setOpen('evidence') },
          { label: 'Delete the run…', icon: 'trash', unable: cannotDelete, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'message' && <MessageDialog run={run} onClose={close} />}
      {open === 'retry' && <RetryDialog run={run} from={search.step ?? run.error?.step ?? undefined} onClose={close} />}
      <StopRun run={run} isOpen={open === 'stop'} onClose={close} />
      {open === 'evidence' && <EvidenceDialog run={run} onClose={close} />}
      <DeleteRun run={run} isOpen={open === 'delete'} onClose={close} />
    </div>
  )
}
