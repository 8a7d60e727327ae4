// The times at which the agent starts by itself.
import type { Schedule } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { Confirm } from '../../../parts/Dialog.tsx'
import { Menu } from '../../../parts/Menu.tsx'
import { Empty, Shown } from '../../../parts/states.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { schedulesQuery } from '../../../queries/agents.ts'
import type { TabProps } from '../AgentScreen.tsx'
import style from '../tab.module.css'
import { ScheduleDialog } from './ScheduleDialog.tsx'
import { timingWords } from './timingWords.ts'

const route = getRouteApi('/frame/agents/$agentId')

export default function SchedulesTab({ agent }: TabProps) {
  const { unable } = useSession()
  const { schedule: openId } = route.useSearch()
  const navigate = route.useNavigate()
  const schedules = useQuery(schedulesQuery(agent.id))
  const open = (schedule: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, schedule }), replace: true })
  const opened = schedules.data?.find(({ id }) => id === openId)
  const make = (
    <Button kind="go" icon="plus" unable={unable('agents:write')} onClick={() => open('new')}>
      New schedule
    </Button>
  )
  return (
    <>
      <Shown query={schedules} what="schedules">
        {(all) =>
          all.length === 0 ? (
            <Empty
              icon="clock"
              title="It starts only when somebody starts it"
              action={make}
              command={`runyard call createSchedule --agent-id ${agent.id} --frequency workday --time 09:00 --timezone Europe/Berlin`}
            >
              A schedule starts a run of the live build at set times: every workday, every hour, or by a cron
              expression, in any time zone.
            </Empty>
          ) : (
            <div className={style.page}>
              <header className={style.head}>
                <h2>Schedules</h2>
                <span className={style.gap} />
                <CopyAs operation="listAgentSchedules" params={{ agent_id: agent.id }} />
                {make}
              </header>
              <table className={style.table}>
                <thead>
                  <tr>
                    <th scope="col">When</th>
                    <th scope="col">Zone</th>
                    <th scope="col">Next start</th>
                    <th scope="col">Last start</th>
                    <th scope="col">Message</th>
                    <th scope="col">
                      <span className="forReaders">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((schedule) => (
                    <Row key={schedule.id} schedule={schedule} onEdit={() => open(schedule.id)} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
      {(openId === 'new' || opened) && (
        <ScheduleDialog key={openId} agentId={agent.id} schedule={opened} onClose={() => open(undefined)} />
      )}
    </>
  )
}

function Row({ schedule, onEdit }: { schedule: Schedule; onEdit: () => void }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const { agent_id, id, enabled, next_run_at, last_run_at, last_run_id, auto_disabled_reason, last_skipped_reason } =
    schedule
  const learn = () => void queries.invalidateQueries({ queryKey: schedulesQuery(agent_id).queryKey })
  const pause = useMutation({
    mutationFn: (isOn: boolean) => runyard.schedules.update(agent_id, id, { enabled: isOn }),
    onSuccess(_answer, isOn) {
      learn()
      toast(isOn ? 'The schedule is resumed' : 'The schedule is paused', isOn ? undefined : () => pause.mutate(true))
    },
    onError: (error) => toastError('The schedule is as it was', error),
  })
  const remove = useMutation({
    mutationFn: () => runyard.schedules.delete(agent_id, id),
    onSuccess() {
      learn()
      setDeleting(false)
      toast('The schedule is deleted')
    },
    onError: (error) => toastError('The schedule was not deleted', error),
  })
  const cannot = unable('agents:write')
  return (
    <tr>
      <td>
        <button type="button" className={style.open} onClick={onEdit}>
          {timingWords(schedule)}
        </button>{' '}
        {!enabled && (
          <Tag tone={auto_disabled_reason === null ? undefined : 'fail'}>
            {auto_disabled_reason === null ? 'paused' : 'stopped itself'}
          </Tag>
        )}
        {!schedule.recurring && <Tag>once</Tag>}
        {auto_disabled_reason !== null && <p className={style.why}>{auto_disabled_reason}</p>}
        {last_skipped_reason !== null && <p className={style.why}>Last skipped: {last_skipped_reason}</p>}
      </td>
      <td className="dim">{schedule.timezone}</td>
      <td>{next_run_at ? <Time at={next_run_at} /> : <span className="dim">none</span>}</td>
      <td>
        {last_run_at && last_run_id ? (
          <Link className="link" to="/runs/$runId" params={{ runId: last_run_id }}>
            <Time at={last_run_at} />
          </Link>
        ) : (
          <span className="dim">never</span>
        )}
      </td>
      <td className={style.long}>{schedule.message ?? <span className="dim">none</span>}</td>
      <td className={style.actions}>
        <Menu
          label="Schedule"
          trigger={<Button kind="quiet" icon="more" aria-label={`Actions of ${timingWords(schedule)}`} />}
          items={[
            { label: 'Change…', icon: 'edit', unable: cannot, onSelect: onEdit },
            enabled
              ? { label: 'Pause', icon: 'pause', unable: cannot, onSelect: () => pause.mutate(false) }
              : { label: 'Resume', icon: 'play', unable: cannot, onSelect: () => pause.mutate(true) },
            { label: 'Delete…', icon: 'trash', unable: cannot, onSelect: () => setDeleting(true) },
          ]}
        />
        <Confirm
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
          title={`Delete the schedule “${timingWords(schedule)}”?`}
          verb="Delete"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
        >
          <p>It starts no more runs. Runs that it has started continue.</p>
        </Confirm>
      </td>
    </tr>
  )
}
