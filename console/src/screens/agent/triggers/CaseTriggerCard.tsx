// The queue whose cases the agent works on.
import type { CaseTrigger } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { Button, ButtonLink } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Confirm } from '../../../parts/Dialog.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { caseTriggersQuery } from '../../../queries/agents.ts'
import { brief } from '../../agents/brief.ts'
import { Sharing } from './Sharing.tsx'
import style from './TriggersTab.module.css'

export function CaseTriggerCard({ trigger, onEdit }: { trigger: CaseTrigger; onEdit: () => void }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const { id, agent_id, case_queue_name, enabled, concurrency, conflicting_agents } = trigger
  const learn = () => void queries.invalidateQueries({ queryKey: caseTriggersQuery(agent_id).queryKey })
  const pause = useMutation({
    mutationFn: (isOn: boolean) => runyard.caseTriggers.update(agent_id, id, { enabled: isOn }),
    onSuccess(_answer, isOn) {
      learn()
      toast(isOn ? 'It is given cases again' : 'It is given no more cases', isOn ? undefined : () => pause.mutate(true))
    },
    onError: (error) => toastError('The trigger is as it was', error),
  })
  const remove = useMutation({
    mutationFn: () => runyard.caseTriggers.delete(agent_id, id),
    onSuccess() {
      learn()
      setDeleting(false)
      toast('The trigger is deleted')
    },
    onError: (error) => toastError('The trigger was not deleted', error),
  })
  const cannot = unable('agents:write')
  return (
    <Card
      title={brief(case_queue_name)}
      facts={<Tag tone={enabled ? 'live' : undefined}>{enabled ? 'at work' : 'paused'}</Tag>}
    >
      <div className={style.body}>
        <p>
          Each case of this queue starts a run.{' '}
          {concurrency === null ? 'As many at once as the queue allows.' : `At most ${concurrency} at once.`}
        </p>
        {conflicting_agents.length > 0 && (
          <p className={style.shared}>
            <StatusShape shape="human" size={14} />
            <Sharing agents={conflicting_agents} />
          </p>
        )}
        <div className={style.actions}>
          <ButtonLink icon="queues" to="/queues/$queueId" params={{ queueId: trigger.case_queue_id }}>
            Open the queue
          </ButtonLink>
          <Button icon="edit" unable={cannot} onClick={onEdit}>
            Change…
          </Button>
          <Button
            icon={enabled ? 'pause' : 'play'}
            isBusy={pause.isPending}
            unable={cannot}
            onClick={() => pause.mutate(!enabled)}
          >
            {enabled ? 'Pause' : 'Resume'}
          </Button>
          <Button kind="no" icon="trash" unable={cannot} onClick={() => setDeleting(true)}>
            Delete…
          </Button>
        </div>
      </div>
      <Confirm
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete the trigger on “${brief(case_queue_name)}”?`}
        verb="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p>The agent is given no more cases of this queue. Runs under way continue.</p>
      </Confirm>
    </Card>
  )
}
