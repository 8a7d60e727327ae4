// What starts the agent from outside: webhooks, events, polls and mail, and the queue whose cases it works.
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { Button } from '../../../parts/Button.tsx'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { Empty, Shown } from '../../../parts/states.tsx'
import { caseTriggersQuery } from '../../../queries/agents.ts'
import { triggersQuery } from '../../../queries/triggers.ts'
import type { TabProps } from '../AgentScreen.tsx'
import tab from '../tab.module.css'
import { CaseTriggerCard } from './CaseTriggerCard.tsx'
import { CaseTriggerDialog } from './CaseTriggerDialog.tsx'
import { Deliveries } from './Deliveries.tsx'
import { TriggerDialog } from './TriggerDialog.tsx'
import { TriggerRow } from './TriggerRow.tsx'
import style from './TriggersTab.module.css'

const route = getRouteApi('/frame/agents/$agentId')

export default function TriggersTab({ agent }: TabProps) {
  const { unable } = useSession()
  const { trigger: openId, deliveries: shownId } = route.useSearch()
  const navigate = route.useNavigate()
  const triggers = useQuery(triggersQuery(agent.id))
  const cases = useQuery(caseTriggersQuery(agent.id))
  const open = (trigger: string | undefined) => void navigate({ search: (now) => ({ ...now, trigger }), replace: true })
  const show = (deliveries: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, deliveries, delivered: undefined }), replace: true })
  const cannot = unable('agents:write')
  const make = (
    <Button kind="go" icon="plus" unable={cannot} onClick={() => open('new')}>
      New trigger
    </Button>
  )
  const workQueue = (
    <Button icon="queues" unable={cannot} onClick={() => open('queue')}>
      Work a queue
    </Button>
  )
  const opened = triggers.data?.find(({ id }) => id === openId)
  const shown = triggers.data?.find(({ id }) => id === shownId)
  return (
    <>
      <Shown query={cases} what="triggers">
        {([caseTrigger]) => (
          <Shown query={triggers} what="triggers">
            {(all) =>
              all.length === 0 && !caseTrigger ? (
                <Empty
                  icon="queues"
                  title="Nothing from outside starts it"
                  action={
                    <span className={style.actions}>
                      {make}
                      {workQueue}
                    </span>
                  }
                  command={`runyard call createAgentTrigger --agent-id ${agent.id} --kind webhook`}
                >
                  A trigger starts a run for each webhook, event, new item elsewhere or mail. With a queue, each of its
                  cases starts a run.
                </Empty>
              ) : (
                <div className={tab.page}>
                  <header className={tab.head}>
                    <h2>Triggers</h2>
                    <span className={tab.gap} />
                    <CopyAs operation="listAgentTriggers" params={{ agent_id: agent.id }} />
                    {!caseTrigger && workQueue}
                    {make}
                  </header>
                  {caseTrigger && (
                    <div className={tab.cards}>
                      <CaseTriggerCard trigger={caseTrigger} onEdit={() => open('queue')} />
                    </div>
                  )}
                  {all.length > 0 && (
                    <table className={classes(tab.table, tab.stacked)}>
                      <thead>
                        <tr>
                          <th scope="col">Trigger</th>
                          <th scope="col">Started by</th>
                          <th scope="col">Last delivery</th>
                          <th scope="col">
                            <span className="forReaders">Actions</span>
                          </th>
                        </tr>
                      </thead>
                      <tbody>
                        {all.map((trigger) => (
                          <TriggerRow
                            key={trigger.id}
                            trigger={trigger}
                            isShown={trigger.id === shownId}
                            onEdit={() => open(trigger.id)}
                            onShow={() => show(trigger.id === shownId ? undefined : trigger.id)}
                          />
                        ))}
                      </tbody>
                    </table>
                  )}
                  {shown && <Deliveries key={shown.id} trigger={shown} onClose={() => show(undefined)} />}
                </div>
              )
            }
          </Shown>
        )}
      </Shown>
      {openId === 'queue' && (
        <CaseTriggerDialog agentId={agent.id} trigger={cases.data?.[0]} onClose={() => open(undefined)} />
      )}
      {(openId === 'new' || opened) && (
        <TriggerDialog
          key={openId}
          agentId={agent.id}
          trigger={opened}
          onMade={(id) => open(id)}
          onClose={() => open(undefined)}
        />
      )}
    </>
  )
}
