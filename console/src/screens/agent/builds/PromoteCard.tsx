// What happens if a build goes live: what the gate says, what new runs and runs under way will follow, and the way back.
import type { Agent, Build } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { openStartRun } from '../../../app/startingRun.ts'
import { Icon } from '../../../look/Icon.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Field, Input, Problem } from '../../../parts/Field.tsx'
import { Time } from '../../../parts/Time.tsx'
import { buildsQuery } from '../../../queries/agents.ts'
import { buildTitle } from '../draft/buildConfig.ts'
import { useDraft } from '../draft/DraftProvider.tsx'
import { Gate, GatePill, useGate } from './Gate.tsx'
import style from './PromoteCard.module.css'
import { usePromote } from './usePromote.ts'

export function PromoteCard({ agent, build }: { agent: Agent; build: Build }) {
  return build.status === 'live' ? (
    <LiveCard agent={agent} build={build} />
  ) : (
    <Promote key={build.id} agent={agent} build={build} />
  )
}

function Promote({ agent, build }: { agent: Agent; build: Build }) {
  const { unable } = useSession()
  const { working, copy, errors } = useDraft()
  const builds = useQuery(buildsQuery(agent.id))
  const gate = useGate(agent.id, build.id)
  const promote = usePromote(agent.id)
  const [reason, setReason] = useState('')
  const former = builds.data?.builds.find(({ status }) => status === 'live')
  const isTyped = working.base.id === build.id
  const isOlder = build.status === 'historic'
  const needsReason = gate.isClosed
  const cannot =
    unable('agents:write') ??
    (isTyped && errors > 0 ? 'Fix the errors first: the server refuses a build with errors.' : undefined) ??
    (needsReason && reason.trim() === '' ? 'The gate is closed. Say why it goes live all the same.' : undefined)
  return (
    <Card
      title={`${isOlder ? 'Roll back to' : 'Promote'} build ${build.revision_number}`}
      aside={<GatePill gate={gate} />}
    >
      <Gate gate={gate} agentId={agent.id} buildId={build.id} />
      <ul className={style.facts}>
        <Fact>New runs use build {build.revision_number} at once</Fact>
        {former && (
          <>
            <Fact>Runs under way stay on build {former.revision_number}</Fact>
            <Fact>Roll back with one press; build {former.revision_number} stays</Fact>
          </>
        )}
      </ul>
      {needsReason && (
        <div className={style.reason}>
          <Field label="Why it goes live all the same" hint="Stored with the promotion, for everybody to read.">
            <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
          </Field>
        </div>
      )}
      {promote.error && (
        <div className={style.reason}>
          <Problem>{messageOf(promote.error)}</Problem>
        </div>
      )}
      <footer className={style.foot}>
        <Button
          kind="quiet"
          unable={unable('runs:write')}
          onClick={() =>
            void copy.saveNow().then(
              (saved) => openStartRun({ agentId: agent.id, buildId: isTyped ? saved.id : build.id }),
              () => openStartRun({ agentId: agent.id, buildId: build.id }),
            )
          }
        >
          Run it first…
        </Button>
        <Button
          kind="go"
          icon={isOlder ? 'retry' : 'up'}
          isBusy={promote.isPending}
          unable={cannot}
          onClick={() => promote.mutate({ build, former, ...(needsReason && { reason }) })}
        >
          {isOlder ? 'Roll back' : 'Promote'}
        </Button>
      </footer>
    </Card>
  )
}

function LiveCard({ agent, build }: { agent: Agent; build: Build }) {
  const { unable } = useSession()
  const builds = useQuery(buildsQuery(agent.id))
  const promote = usePromote(agent.id)
  const [former] = (builds.data?.builds ?? [])
    .filter(({ status }) => status === 'historic')
    .toSorted((one, other) => (other.published_at ?? '').localeCompare(one.published_at ?? ''))
  const gate = useGate(agent.id, former?.id)
  return (
    <Card
      title={`Build ${build.revision_number} is live`}
      facts={
        build.published_at && (
          <>
            since <Time at={build.published_at} />
          </>
        )
      }
    >
      <ul className={style.facts}>
        <Fact>Every new run uses it</Fact>
        {former ? (
          <Fact>
            Before it, build {former.revision_number} was live: {buildTitle(former)}
          </Fact>
        ) : (
          <Fact>It is the first one, so there is nothing to roll back to</Fact>
        )}
      </ul>
      {promote.error && (
        <div className={style.reason}>
          <Problem>{messageOf(promote.error)}</Problem>
        </div>
      )}
      {former && (
        <footer className={style.foot}>
          <span />
          <Button
            icon="retry"
            isBusy={promote.isPending}
            unable={unable('agents:write')}
            onClick={() =>
              promote.mutate({
                build: former,
                former: build,
                ...(gate.isClosed && { reason: `Rolls back build ${build.revision_number}.` }),
              })
            }
          >
            Roll back to build {former.revision_number}
          </Button>
        </footer>
      )}
    </Card>
  )
}

const Fact = ({ children }: { children: React.ReactNode }) => (
  <li>
    <Icon name="check" size={14} />
    <span>{children}</span>
  </li>
)
