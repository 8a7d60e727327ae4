// The overview: the state in a sentence, then plots of the last day, what broke, who is needed, and what starts next.
import { useQuery } from '@tanstack/react-query'
import { Bar } from '../../app/Bar.tsx'
import { useSession } from '../../app/session.tsx'
import { openStartRun } from '../../app/startingRun.ts'
import { Button, ButtonLink } from '../../parts/Button.tsx'
import { Shown } from '../../parts/states.tsx'
import { overviewQuery } from '../../queries/overview.ts'
import { Failures } from './Failures.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { LastDay } from './LastDay.tsx'
import { LastRuns } from './LastRuns.tsx'
import { NeedsPerson } from './NeedsPerson.tsx'
import { NextStarts } from './NextStarts.tsx'
import style from './OverviewScreen.module.css'
import { StateSentence } from './StateSentence.tsx'
import { TourOffer } from './TourOffer.tsx'

export function OverviewScreen() {
  const { unable } = useSession()
  const overview = useQuery(overviewQuery)
  return (
    <>
      <Bar title="Overview">
        <span className={style.wide}>
          <ButtonLink to="/inbox" icon="inbox">
            Open inbox
          </ButtonLink>
        </span>
        <Button kind="go" icon="plus" unable={unable('runs:write')} onClick={() => openStartRun({})}>
          Start run
        </Button>
      </Bar>
      <main className={style.page}>
        <Shown query={overview} what="the overview">
          {(found) => (
            <>
              <StateSentence overview={found} />
              <div className={style.columns}>
                <div className={style.column}>
                  <LastDay />
                  <LastRuns />
                </div>
                <div className={style.column}>
                  <TourOffer />
                  <FirstSteps />
                  <Failures failures={found.failures} />
                  <NeedsPerson connections={found.connections} targets={found.delivery_targets} />
                  <NextStarts starts={found.next_starts} />
                </div>
              </div>
            </>
          )}
        </Shown>
      </main>
    </>
  )
}
