// What works on a queue: why its cases move or not, the agents that take them and those that add them.
import type { ExplainQueueAnswer, Queue } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { StatusShape, type Shape } from '../../../look/StatusShape.tsx'
import { count, counted } from '../../../parts/amounts.ts'
import { ruleInSentence } from '../../../parts/guardrailWords.ts'
import { Button, ButtonLink } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { Meter } from '../../../parts/Meter.tsx'
import { Shown } from '../../../parts/states.tsx'
import table from '../../../parts/Table.module.css'
import { Tag } from '../../../parts/Tag.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { queueAgentsQuery, queueWhyQuery } from '../../../queries/queues.ts'
import { AddWorker } from './AddWorker.tsx'
import { LabelList } from './LabelList.tsx'
import style from './WorkTab.module.css'

export default function WorkTab({ queue }: { queue: Queue }) {
  const why = useQuery(queueWhyQuery(queue.id))
  return (
    <div className={style.page}>
      <Shown query={why} what="the work" rows={6}>
        {(data) => (
          <>
            <Why data={data} queue={queue} />
            <Workers data={data} queue={queue} />
          </>
        )}
      </Shown>
      <Producers queue={queue} />
      <LabelList queueId={queue.id} />
    </div>
  )
}

function Why({ data, queue }: { data: ExplainQueueAnswer; queue: Queue }) {
  const { facts, reasons, is_moving: isMoving } = data
  const says = isMoving
    ? facts.waiting === 0
      ? 'Nothing waits. A case that is added is given to an agent at once.'
      : `Cases are given to agents: ${counted(facts.waiting, 'case waits', 'cases wait')} for their turn.`
    : `${facts.waiting === 0 ? 'A case that is added would wait' : counted(facts.waiting, 'case waits', 'cases wait')}, and none is given to an agent.`
  return (
    <Card
      title={isMoving ? 'Cases move' : 'Nothing moves'}
      aside={<CopyAs isSmall operation="explainQueue" params={{ queue_id: queue.id }} />}
    >
      <div className={style.why}>
        <p className={style.says}>
          <StatusShape shape={isMoving ? 'running' : 'human'} />
          {says}
        </p>
        {reasons.length > 0 && (
          <ol className={style.reasons}>
            {reasons.map((reason, at) => (
              <li key={at}>{visible(reason.says)}</li>
            ))}
          </ol>
        )}
        <dl className={style.facts}>
          <div>
            <dt>In progress</dt>
            <dd>
              <b>{count(facts.in_progress)}</b> of {count(facts.at_once)}
              <Meter
                share={facts.at_once > 0 ? facts.in_progress / facts.at_once : 1}
                says={`${facts.in_progress} of ${facts.at_once}`}
              />
            </dd>
          </div>
          <div>
            <dt>Held by people</dt>
            <dd>{count(facts.held_by_members)}</dd>
          </div>
          <div>
            <dt>Needs input</dt>
            <dd>{count(facts.needs_input)}, which count as not in progress</dd>
          </div>
          <div>
            <dt>Slots of the team</dt>
            <dd>
              <b>{count(facts.slots_held)}</b> of {count(facts.slots_total)}
              <Meter
                share={facts.slots_total > 0 ? facts.slots_held / facts.slots_total : 1}
                says={`${facts.slots_held} of ${facts.slots_total}`}
              />
            </dd>
          </div>
          {facts.waits.map((wait) => (
            <div key={`${wait.kind} ${wait.connection_name} ${wait.rule}`}>
              <dt>Runs that wait</dt>
              <dd>
                {count(wait.runs)} {waitWords(wait)}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  )
}

function waitWords({ kind, connection_name: name, rule }: ExplainQueueAnswer['facts']['waits'][number]): string {
  if (rule !== null) return `by the team’s guardrails: ${ruleInSentence(rule)}`
  return name === null ? `for ${kind.replace('_', ' ')}` : `for the connection ${visible(name)}`
}

type Agent = ExplainQueueAnswer['facts']['agents'][number]

const stateWords: Record<Agent['state'], { shape: Shape; says: string }> = {
  free: { shape: 'running', says: 'takes cases' },
  full: { shape: 'wait', says: 'at its limit' },
  paused: { shape: 'stopped', says: 'paused' },
  agent_paused: { shape: 'stopped', says: 'the agent is paused' },
  no_live_build: { shape: 'failed', says: 'no live build' },
}

function Workers({ data, queue }: { data: ExplainQueueAnswer; queue: Queue }) {
  const { unable } = useSession()
  const [isAdding, setAdding] = useState(false)
  const { agents } = data.facts
  const add = (
    <>
      <ButtonLink kind="quiet" icon="runs" to="/runs" search={{ case_queue_id: queue.id }}>
        Runs of its cases
      </ButtonLink>
      <Button icon="plus" unable={unable('agents:write')} onClick={() => setAdding(true)}>
        Let an agent work it
      </Button>
    </>
  )
  return (
    <Card title="Agents that take cases" aside={add}>
      {agents.length === 0 ? (
        <p className={style.none}>
          None. With a case trigger, each case starts a run of the agent, in the order of the queue. Until then people
          take cases on the board.
        </p>
      ) : (
        <div className={style.scroll}>
          <table className={`${table.table} ${table.inCard}`} aria-label="Agents that take cases">
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col">State</th>
                <th scope="col" className={table.number}>
                  In progress
                </th>
                <th scope="col">
                  <span className="forReaders">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {agents.map((agent) => (
                <Worker key={agent.trigger_id} agent={agent} queueId={queue.id} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isAdding && <AddWorker queueId={queue.id} onClose={() => setAdding(false)} />}
    </Card>
  )
}

function Worker({ agent, queueId }: { agent: Agent; queueId: string }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const isPaused = agent.state === 'paused'
  const pause = useMutation({
    mutationFn: (enabled: boolean) => runyard.caseTriggers.update(agent.id, agent.trigger_id, { enabled }),
    onSuccess(_, enabled) {
      toast(enabled ? 'It is given cases again' : 'It is given no more cases', () => pause.mutate(!enabled))
    },
    onError: (error) => toastError('The trigger is as it was', error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['queueWork', queueId] }),
  })
  const { shape, says } = stateWords[agent.state]
  return (
    <tr>
      <td>
        <Link className={table.main} to="/agents/$agentId" params={{ agentId: agent.id }} search={{ tab: 'triggers' }}>
          {visible(agent.name)}
        </Link>
      </td>
      <td>
        <span className={style.state}>
          <StatusShape shape={shape} size={14} /> {says}
        </span>
      </td>
      <td className={table.number}>
        {count(agent.in_progress)}
        {agent.concurrency !== null && ` of ${count(agent.concurrency)}`}
      </td>
      <td className={table.acts}>
        <Button
          kind="quiet"
          icon={isPaused ? 'play' : 'pause'}
          isBusy={pause.isPending}
          unable={unable('agents:write')}
          onClick={() => pause.mutate(isPaused)}
          aria-label={`${isPaused ? 'Resume' : 'Pause'} ${visible(agent.name)}`}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      </td>
    </tr>
  )
}

const problemWords = {
  multiple_triggers: 'Several agents share these cases; each case goes to one of them.',
  producer_consumer_mix: 'An agent works on cases that it adds itself, and may never stop.',
}

function Producers({ queue }: { queue: Queue }) {
  const agents = useQuery(queueAgentsQuery(queue.id))
  return (
    <Card title="Agents that add cases" facts="in the last 30 days, or by their procedure">
      <Shown query={agents} what="agents" rows={2}>
        {({ producers, problems }) => (
          <>
            {producers.length === 0 && (
              <p className={style.none}>None: cases come from people, programs and imports.</p>
            )}
            {producers.length > 0 && (
              <ul className={style.list}>
                {producers.map(({ id, name, cases_made: made, in_procedure: isWritten }) => (
                  <li key={id}>
                    <Link className="link" to="/agents/$agentId" params={{ agentId: id }}>
                      {visible(name)}
                    </Link>
                    <span className="dim">
                      {counted(made, 'case')} added{isWritten && ', as its procedure says'}
                    </span>
                  </li>
                ))}
              </ul>
            )}
            {problems.map((problem) => (
              <p key={problem} className={style.none}>
                <Tag tone="wait">check</Tag> {problemWords[problem]}
              </p>
            ))}
          </>
        )}
      </Shown>
    </Card>
  )
}
