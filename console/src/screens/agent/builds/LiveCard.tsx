// The live build: since when it is live, and what a roll-back to the one before it changes.
import type { Agent, Build } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Time } from '../../../parts/Time.tsx'
import { buildsQuery, promotionPreviewQuery } from '../../../queries/agents.ts'
import { buildTitle } from '../draft/buildConfig.ts'
import { Gate, GatePill, ReplayGate } from './Gate.tsx'
import style from './PromoteCard.module.css'
import { Fact, PromotionFacts } from './PromotionFacts.tsx'
import { needsReason, Refusal, whyRefused } from './Refusal.tsx'
import { usePromote } from './usePromote.ts'

export function LiveCard({ agent, build }: { agent: Agent; build: Build }) {
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
  return (
    <section aria-label={`Roll back to build ${former.revision_number}`}>
      <Shown query={preview} what="what a roll-back changes" rows={2}>
        {(found) => (
          <>
            <h3 className={style.back}>
              If it is rolled back <GatePill gates={[found.gate, found.replay_gate]} />
            </h3>
            {found.gate && <Gate gate={found.gate} />}
            <ReplayGate gate={found.replay_gate} />
            <ul className={style.facts}>
              <PromotionFacts build={former} former={live} preview={found} />
            </ul>
          </>
        )}
      </Shown>
      <Refusal preview={preview.data} error={promote.error} reason={reason} onReason={setReason} />
      <footer className={style.foot}>
        <span />
        <Button
          icon="retry"
          isBusy={promote.isPending}
          unable={unable('agents:write') ?? whyRefused(preview.data, reason)}
          onClick={() => promote.mutate({ build: former, former: live, ...(needsReason(preview.data) && { reason }) })}
        >
          Roll back to build {former.revision_number}
        </Button>
      </footer>
    </section>
  )
}
