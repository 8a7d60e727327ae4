// One run: its head, everything about it in tabs, and beside them what a person must decide and what is selected.
import type { GetRunAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Bar, Crumbs } from '../../app/Bar.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { Shown } from '../../parts/states.tsx'
import { isEnded } from '../../parts/Status.tsx'
import { runQuery } from '../../queries/runs.ts'
import { useRunAddress } from './address.ts'
import { FootKeys } from './FootKeys.tsx'
import { Header } from './header/Header.tsx'
import { useNarrow } from './phone.ts'
import style from './RunScreen.module.css'
import { RunTabs } from './RunTabs.tsx'
import { Side, SideOnTop } from './Side.tsx'
import { TabContent } from './TabContent.tsx'
import { useSteps } from './timeline/useSteps.ts'
import { useRunNews } from './useRunNews.ts'

export function RunScreen() {
  const { runId } = useRunAddress()
  const run = useQuery(runQuery(runId))
  const here = run.data?.run
  useTitle(here && `${here.run_number} ${here.title}`)
  return (
    <>
      <Bar
        title={
          <Crumbs
            back={<Link to="/runs">Runs</Link>}
            here={
              <>
                {here?.run_number ?? ''}
                <CopyText text={runId} what="run id" shown="" />
              </>
            }
          />
        }
      >
        <span className={style.wide}>
          <CopyAs operation="getRun" params={{ run_id: runId }} />
        </span>
      </Bar>
      <main className={style.main}>
        <Shown query={run} what="the run">
          {(answer) => <Page answer={answer} />}
        </Shown>
      </main>
    </>
  )
}

function Page({ answer }: { answer: GetRunAnswer }) {
  const { run } = answer
  const { search } = useRunAddress()
  const tab = search.tab ?? 'timeline'
  const steps = useSteps(run.id, !isEnded(run.status))
  const side = useRef<HTMLElement>(null)
  useRunNews(run.id)
  const isNarrow = useNarrow()
  const total = Math.max(steps.total, run.usage.steps)
  // what is wide has the whole width
  const hasSide = tab !== 'compare' && tab !== 'raw'
  return (
    <>
      <Header run={run} activeMs={steps.isComplete ? steps.activeMs : undefined} />
      <div className={style.columns} data-alone={hasSide ? undefined : ''}>
        <section className={style.left} aria-label={tab}>
          <RunTabs run={run} />
          <TabContent answer={answer} tab={tab} steps={steps} onOpenStep={() => side.current?.focus()} />
        </section>
        {hasSide && (
          <aside className={style.right} aria-label="Details" ref={side} tabIndex={-1}>
            {isNarrow ? <SideOnTop answer={answer} total={total} /> : <Side answer={answer} total={total} />}
          </aside>
        )}
      </div>
      <FootKeys />
    </>
  )
}

/** The tab of the browser names the run; another screen names itself. */
function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return undefined
    document.title = `${title.slice(0, 80)} · Runyard`
    return () => {
      document.title = 'Runyard'
    }
  }, [title])
}
