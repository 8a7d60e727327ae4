// What a new rule watches: the signal, and the team or the agent, queue, webhook or schedule that it is measured for.
import { useQuery } from '@tanstack/react-query'
import { useId, useState, type ReactNode } from 'react'
import { useSession } from '../../app/session.tsx'
import { AgentChoices } from '../../parts/AgentChoices.tsx'
import { Choices, type Choice } from '../../parts/Choices.tsx'
import { Field, Select } from '../../parts/Field.tsx'
import { Shown } from '../../parts/states.tsx'
import { visible } from '../../parts/visibleText.ts'
import { schedulesQuery } from '../../queries/agents.ts'
import { deliveryTargetsQuery } from '../../queries/events.ts'
import { queueNamesQuery } from '../../queries/queues.ts'
import { timingWords } from '../agent/schedules/timingWords.ts'
import style from './AlertsScreen.module.css'
import { scopeNames, scopesOf, signalNames, usualThreshold, type Scope, type Signal } from './alertText.ts'
import type { Typed } from './ruleForm.ts'

interface ScopeChoiceProps {
  typed: Typed
  onType: (change: Partial<Typed>) => void
}

export function ScopeChoice({ typed: { signal, scope, scopeId }, onType }: ScopeChoiceProps) {
  return (
    <>
      <div className={style.numbers}>
        <Field label="Signal">
          <Select
            value={signal}
            options={Object.entries(signalNames).map(([value, label]) => ({ value, label }))}
            onChange={({ target }) => {
              const next = target.value as Signal
              onType({
                signal: next,
                scope: scopesOf[next][0]!,
                scopeId: '',
                threshold: String(usualThreshold[next]),
                clear: '',
                window: '',
                minRuns: '',
              })
            }}
          />
        </Field>
        <Field label="Of">
          <Select
            value={scope}
            options={scopesOf[signal].map((value) => ({ value, label: scopeNames[value] }))}
            onChange={({ target }) => onType({ scope: target.value as Scope, scopeId: '' })}
          />
        </Field>
      </div>
      <Record key={scope} scope={scope} chosen={scopeId} onChoose={(id) => onType({ scopeId: id })} />
    </>
  )
}

interface RecordProps {
  chosen: string
  onChoose: (id: string) => void
}

function Record({ scope, ...props }: RecordProps & { scope: Scope }) {
  if (scope === 'agent')
    return (
      <List label="Agent">
        <AgentChoices chosen={props.chosen || undefined} onChoose={props.onChoose} />
      </List>
    )
  if (scope === 'queue') return <Queues {...props} />
  if (scope === 'webhook') return <Webhooks {...props} />
  return scope === 'schedule' ? <Schedules {...props} /> : null
}

function Queues({ chosen, onChoose }: RecordProps) {
  const queues = useQuery(queueNamesQuery)
  return (
    <List label="Queue">
      <Shown query={queues} what="queues">
        {(rows) => (
          <Offered
            what="queues"
            choices={rows.map(({ id, name }) => ({ value: id, label: visible(name) }))}
            chosen={chosen}
            onChoose={onChoose}
          />
        )}
      </Shown>
    </List>
  )
}

function Webhooks({ chosen, onChoose }: RecordProps) {
  const cannot = useSession().unable('webhooks:manage')
  const targets = useQuery({ ...deliveryTargetsQuery, enabled: cannot === undefined })
  return (
    <List label="Webhook">
      {cannot !== undefined ? (
        <p className="dim">{cannot}</p>
      ) : (
        <Shown query={targets} what="webhooks">
          {(rows) => (
            <Offered
              what="webhooks"
              choices={rows
                .filter(({ kind }) => kind === 'subscription')
                .map(({ id, url }) => ({ value: id, label: visible(url) }))}
              chosen={chosen}
              onChoose={onChoose}
            />
          )}
        </Shown>
      )}
    </List>
  )
}

/** A schedule has no name, so its agent is chosen first. */
function Schedules({ chosen, onChoose }: RecordProps) {
  const [agentId, setAgentId] = useState<string>()
  return (
    <>
      <List label="Agent of the schedule">
        <AgentChoices
          chosen={agentId}
          onChoose={(id) => {
            setAgentId(id)
            onChoose('')
          }}
        />
      </List>
      {agentId !== undefined && <SchedulesOf key={agentId} agentId={agentId} chosen={chosen} onChoose={onChoose} />}
    </>
  )
}

function SchedulesOf({ agentId, chosen, onChoose }: RecordProps & { agentId: string }) {
  const schedules = useQuery(schedulesQuery(agentId))
  return (
    <List label="Schedule">
      <Shown query={schedules} what="schedules">
        {(rows) => (
          <Offered
            what="schedules"
            choices={rows.map((one) => ({
              value: one.id,
              label: visible(timingWords(one)),
              detail: one.enabled ? one.timezone : `${one.timezone}, paused`,
            }))}
            chosen={chosen}
            onChoose={onChoose}
          />
        )}
      </Shown>
    </List>
  )
}

function Offered({ what, choices, chosen, onChoose }: RecordProps & { what: string; choices: Choice[] }) {
  if (choices.length === 0) return <p className="dim">There are no {what}.</p>
  return <Choices what={what} choices={choices} chosen={chosen === '' ? [] : [chosen]} onChoose={onChoose} />
}

/** A list with its label, which scrolls where it is long. */
export function List({ label, children }: { label: string; children: ReactNode }) {
  const labelId = useId()
  return (
    <div className={style.labelled} role="group" aria-labelledby={labelId}>
      <span id={labelId} className={style.label}>
        {label}
      </span>
      <div className={style.list}>{children}</div>
    </div>
  )
}
