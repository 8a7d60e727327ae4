// What stands beside the tabs: what a person must decide, then the selected step, or how the run ended and what it was given.
import type { GetRunAnswer } from '@runyard/sdk'
import { isEnded } from '../../parts/Status.tsx'
import { useRunAddress } from './address.ts'
import { Input, Outcome } from './inspector/Outcome.tsx'
import { Inspector } from './inspector/Inspector.tsx'
import { RequestCard } from './inspector/RequestCard.tsx'
import { Sheet } from './inspector/Sheet.tsx'

interface SideProps {
  answer: GetRunAnswer
  /** How many steps there are. */
  total: number
}

export function Side({ answer: { run, pending_human_request: request }, total }: SideProps) {
  const { search } = useRunAddress()
  return (
    <>
      {request && <RequestCard key={request.id} request={request} />}
      {search.step !== undefined ? (
        <Inspector run={run} seq={search.step} total={total} />
      ) : (
        <>
          {isEnded(run.status) && <Outcome run={run} />}
          <Input run={run} />
        </>
      )}
    </>
  )
}

/** In one column: what must be decided and how it ended come first, a step comes up as a sheet. */
export function SideOnTop({ answer: { run, pending_human_request: request }, total }: SideProps) {
  const { search, choose } = useRunAddress()
  return (
    <>
      {request && <RequestCard key={request.id} request={request} />}
      {isEnded(run.status) && <Outcome run={run} />}
      {search.step !== undefined && (
        <Sheet label={`Step ${search.step}`} onClose={() => choose({ step: undefined, detail: undefined })}>
          <Inspector run={run} seq={search.step} total={total} />
        </Sheet>
      )}
    </>
  )
}
