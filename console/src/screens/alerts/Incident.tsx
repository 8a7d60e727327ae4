// One incident: what was measured, the records behind it, and who looks at it.
import type { AlertIncident } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Field, TextArea } from '../../parts/Field.tsx'
import { Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'
import { incidentQuery } from '../../queries/alerts.ts'
import { membersQuery } from '../../queries/team.ts'
import style from './AlertsScreen.module.css'
import { endText, signalNames, valueText } from './alertText.ts'

export function Incident({ id }: { id: string }) {
  const incident = useQuery(incidentQuery(id))
  return (
    <Shown query={incident} what="the incident">
      {(found) => (
        <Card
          title={visible(found.rule_name)}
          aside={<CopyAs isSmall operation="getAlertIncident" params={{ incident_id: id }} />}
        >
          <div className={style.body}>
            <Facts incident={found} />
            <BehindList incident={found} />
            <Acknowledge incident={found} />
          </div>
        </Card>
      )}
    </Shown>
  )
}

function Facts({ incident }: { incident: AlertIncident }) {
  const { signal, threshold, peak_value, last_value, opened_at, closed_at, closed_because, paused_agent_id } = incident
  return (
    <>
      <p>
        {signalNames[signal]} of {visible(incident.scope_name ?? 'the team')}: {valueText(signal, last_value)} now,{' '}
        {valueText(signal, peak_value)} at its highest. It opens at {valueText(signal, threshold)}.
      </p>
      <p className="dim">
        Opened <Time at={opened_at} />
        {closed_at !== null && closed_because !== null && (
          <>
            , closed <Time at={closed_at} />. {endText[closed_because]}
          </>
        )}
      </p>
      {paused_agent_id !== null && (
        <p>
          It paused{' '}
          <Link className="link" to="/agents/$agentId" params={{ agentId: paused_agent_id }}>
            its agent
          </Link>
          . Only a person resumes it.
        </p>
      )}
    </>
  )
}

type Behind = AlertIncident['behind'][number]

const linkOf = ({ kind, id, agent_id }: Behind): LinkProps | undefined => {
  if (kind === 'run') return { to: '/runs/$runId', params: { runId: id } }
  if (kind === 'human_request') return { to: '/inbox', search: { request: id } }
  if (kind === 'case') return { to: '/cases/$caseId', params: { caseId: id } }
  if (kind === 'delivery') return { to: '/events', search: { tab: 'deliveries', delivery: id } }
  return agent_id === null
    ? undefined
    : { to: '/agents/$agentId', params: { agentId: agent_id }, search: { tab: 'schedules' } }
}

function BehindList({ incident: { behind } }: { incident: AlertIncident }) {
  if (behind.length === 0) return null
  return (
    <>
      <h3 className={style.sub}>Behind it</h3>
      <ul className={style.behind} aria-label="Behind it">
        {behind.map((one) => {
          const link = linkOf(one)
          return (
            <li key={`${one.kind} ${one.id} ${one.at}`}>
              {link ? (
                <Link className="link" {...link}>
                  {visible(one.says)}
                </Link>
              ) : (
                <span>{visible(one.says)}</span>
              )}
              <Time at={one.at} />
            </li>
          )
        })}
      </ul>
    </>
  )
}

function Acknowledge({ incident }: { incident: AlertIncident }) {
  const queries = useQueryClient()
  const cannot = useSession().unable('runs:write')
  const { data: members } = useQuery({ ...membersQuery, enabled: incident.acknowledged_by !== null })
  const nameOf = (id: string | null) => visible(members?.members.find((one) => one.id === id)?.name ?? 'Somebody')
  const [note, setNote] = useState(incident.note ?? '')
  const send = useMutation({
    mutationFn: () => runyard.alerts.acknowledge(incident.id, { note: note.trim() === '' ? null : note }),
    onSuccess: ({ incident: changed }) => {
      queries.setQueryData(incidentQuery(incident.id).queryKey, changed)
      void queries.invalidateQueries({ queryKey: ['alerts', 'incidents'] })
      toast('Acknowledged')
    },
    onError: (error) => toastError('Not acknowledged', error),
  })
  return (
    <form
      className={style.acknowledge}
      onSubmit={(event) => {
        event.preventDefault()
        if (cannot === undefined && !send.isPending) send.mutate()
      }}
    >
      <Field
        label="Note"
        hint={
          incident.acknowledged_at === null ? (
            'Nobody is on it yet.'
          ) : (
            <>
              {nameOf(incident.acknowledged_by)} has been on it since <Time at={incident.acknowledged_at} />.
            </>
          )
        }
      >
        <TextArea rows={2} maxLength={2000} value={note} onChange={(event) => setNote(event.target.value)} />
      </Field>
      <Button type="submit" icon="check" unable={cannot} isBusy={send.isPending}>
        {incident.acknowledged_at === null ? 'I am on it' : 'Save the note'}
      </Button>
    </form>
  )
}
