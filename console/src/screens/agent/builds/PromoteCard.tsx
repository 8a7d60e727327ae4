// What happens if a build goes live: what the gate says, what changes for new runs and those under way, and the way back.
import type { Agent, Build } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { openStartRun } from '../../../app/startingRun.ts'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Shown } from '../../../parts/states.tsx'
import { buildsQuery, promotionPreviewQuery } from '../../../queries/agents.ts'
import { useDraft } from '../draft/DraftProvider.tsx'
import { Gate, GatePill, ReplayGate } from './Gate.tsx'
import { LiveCard } from './LiveCard.tsx'
import { Fact, PromotionFacts } from './PromotionFacts.tsx'
import { needsReason, Refusal, whyRefused } from './Refusal.tsx'
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
  const cannot =
    unable('agents:write') ??
    (isTyped && errors > 0 ? 'Fix the errors first: the server refuses a build with errors.' : undefined) ??
    whyRefused(preview.data, reason)
  return (
    <Card
      title={`${isOlder ? 'Roll back to' : 'Promote'} build ${build.revision_number}`}
      aside={<GatePill gates={[preview.data?.gate, preview.data?.replay_gate]} />}
    >
      <Shown query={preview} what="what a promotion changes" rows={3}>
        {(found) => (
          <>
            {(found.gate || !found.replay_gate) && <Gate gate={found.gate} />}
            <ReplayGate gate={found.replay_gate} />
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
      <Refusal preview={preview.data} error={promote.error} reason={reason} onReason={setReason} />
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
          onClick={() => promote.mutate({ build, former, ...(needsReason(preview.data) && { reason }) })}
        >
          {isOlder ? 'Roll back' : 'Promote'}
        </Button>
      </footer>
    </Card>
  )
}
