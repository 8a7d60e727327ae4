// What happens if a build goes live: what the gate says, what changes for new runs and those under way, and the way back.
import type { Agent, Build } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { openStartRun } from '../../../app/startingRun.ts'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Field, Input, Problem } from '../../../parts/Field.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Time } from '../../../parts/Time.tsx'
import { buildsQuery, promotionPreviewQuery } from '../../../queries/agents.ts'
import { buildTitle } from '../draft/buildConfig.ts'
import { useDraft } from '../draft/DraftProvider.tsx'
import { Gate, GatePill } from './Gate.tsx'
import { Fact, PromotionFacts } from './PromotionFacts.tsx'
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
  const preview = useQuery(promotionPreviewQuery(agent.id, build.id))
  const promote = usePromote(agent.id)
  const [reason, setReason] = useState('')
  const former = builds.data?.builds.find(({ status }) => status === 'live')
  const isTyped = working.base.id === build.id
  const isOlder = build.status === 'historic'
  const refusal = preview.data?.refusal ?? undefined
  const needsReason = refusal?.code === 'gate_not_met'
  const cannot =
    unable('agents:write') ??
    (isTyped && errors > 0 ? 'Fix the errors first: the server refuses a build with errors.' : undefined) ??
    (needsReason && reason.trim() === '' ? 'The gate is closed. Say why it goes live all the same.' : undefined) ??
    (needsReason ? undefined : refusal?.message)
  return (
    <Card
      title={`${isOlder ? 'Roll back to' : 'Promote'} build ${build.revision_number}`}
      aside={<GatePill gate={preview.data?.gate} />}
    >
      <Shown query={preview} what="what a promotion changes" rows={3}>
        {(found) => (
          <>
            <Gate gate={found.gate} />
            <ul className={style.facts}>
              <PromotionFacts build={build} former={former} preview={found} />
              {former && (
                <>
                  <Fact>Runs under way stay on build {former.revision_number}</Fact>
                  <Fact>Roll back with one press; build {former.revision_number} stays</Fact>
                </>
              )}
            </ul>
          </>
        )}
      </Shown>
      {needsReason && <Reason value={reason} onChange={setReason} />}
      <Refused error={promote.error} refusal={needsReason ? undefined : refusal?.message} />
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
  const builds = useQuery(buildsQuery(agent.id))
  const [former] = (builds.data?.builds ?? [])
    .filter(({ status }) => status === 'historic')
    .toSorted((one, other) => (other.published_at ?? '').localeCompare(one.published_at ?? ''))
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
      {former && <RollBack key={former.id} agent={agent} live={build} former={former} />}
    </Card>
  )
}

/** The gate seldom stands open for a build that was replaced, so a reason for it is proposed. */
function RollBack({ agent, live, former }: { agent: Agent; live: Build; former: Build }) {
  const { unable } = useSession()
  const preview = useQuery(promotionPreviewQuery(agent.id, former.id))
  const promote = usePromote(agent.id)
  const [reason, setReason] = useState(`Rolls back build ${live.revision_number}.`)
  const refusal = preview.data?.refusal ?? undefined
  const needsReason = refusal?.code === 'gate_not_met'
  const cannot =
    unable('agents:write') ??
    (needsReason && reason.trim() === '' ? 'The gate is closed. Say why it goes live all the same.' : undefined) ??
    (needsReason ? undefined : refusal?.message)
  return (
    <section aria-label={`Roll back to build ${former.revision_number}`}>
      <Shown query={preview} what="what a roll-back changes" rows={2}>
        {(found) => (
          <>
            <h3 className={style.back}>
              If it is rolled back <GatePill gate={found.gate} />
            </h3>
            {found.gate && <Gate gate={found.gate} />}
            <ul className={style.facts}>
              <PromotionFacts build={former} former={live} preview={found} />
            </ul>
          </>
        )}
      </Shown>
      {needsReason && <Reason value={reason} onChange={setReason} />}
      <Refused error={promote.error} refusal={needsReason ? undefined : refusal?.message} />
      <footer className={style.foot}>
        <span />
        <Button
          icon="retry"
          isBusy={promote.isPending}
          unable={cannot}
          onClick={() => promote.mutate({ build: former, former: live, ...(needsReason && { reason }) })}
        >
          Roll back to build {former.revision_number}
        </Button>
      </footer>
    </section>
  )
}

const Reason = ({ value, onChange }: { value: string; onChange: (reason: string) => void }) => (
  <div className={style.reason}>
    <Field label="Why it goes live all the same" hint="Stored with the promotion, for everybody to read.">
      <Input value={value} maxLength={500} onChange={(event) => onChange(event.target.value)} />
    </Field>
  </div>
)

/** What the service said to a press, or would say. */
function Refused({ error, refusal }: { error: Error | null; refusal: string | undefined }) {
  const says = error ? messageOf(error) : refusal
  if (says === undefined) return null
  return (
    <div className={style.reason}>
      <Problem>{says}</Problem>
    </div>
  )
}
