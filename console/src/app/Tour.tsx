// The tour: a card beside each of five screens that says in two sentences what it is for. It leads through a run of the demo agent.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode } from 'react'
import { Button } from '../parts/Button.tsx'
import { toastError } from '../parts/toasts.tsx'
import { demoRunQuery, useDemoAgent } from '../queries/demo.ts'
import { runyard } from './client.ts'
import { useKeys } from './keys.ts'
import { useSession } from './session.tsx'
import style from './Tour.module.css'
import { goToStop, stops, useEndTour, type Stop } from './tour.ts'

interface Words {
  title: string
  says: ReactNode
}

const words: Record<Stop, Words> = {
  overview: {
    title: 'Overview',
    says: 'The first sentence says whether anything needs you. Below it: the last day, what failed, and what starts next.',
  },
  runs: {
    title: 'Runs',
    says: 'Each time an agent works, that is a run. Filter them by anything: the address keeps the filter, so a link shows the same list.',
  },
  run: {
    title: 'A run of the demo',
    says: 'One row for each step, with its time. This one waits five seconds, then asks a person; until then no process holds it.',
  },
  inbox: {
    title: 'Inbox',
    says: 'What runs ask people is here, with exactly what each answer does. Answer by the buttons or by their keys, also on a phone.',
  },
  agent: {
    title: 'An agent',
    says: 'Its procedure is text; the fenced blocks are the steps that run. Change it, save it as a build, and make that build live.',
  },
}

export default function Tour({ stop }: { stop: Stop }) {
  const end = useEndTour()
  const at = stops.indexOf(stop)
  const next = stops[at + 1]
  const before = stops[at - 1]
  const heading = useRef<HTMLHeadingElement>(null)
  const { isLost, start } = useScreenOf(stop)
  useKeys([{ keys: 'Escape', says: 'End the tour', where: 'Tour', run: () => end('skipped') }])
  // the next stop is read from its beginning, by keyboard too
  useEffect(() => heading.current?.focus(), [stop])
  return (
    <section className={style.tour} aria-label="Tour">
      <p className="caption">
        Tour, {at + 1} of {stops.length}
      </p>
      <h2 ref={heading} tabIndex={-1}>
        {words[stop].title}
      </h2>
      <p aria-live="polite">{isLost ? 'The demo agent is gone. Any other agent looks the same.' : words[stop].says}</p>
      {start}
      <div className={style.actions}>
        <Button kind="quiet" onClick={() => end('skipped')}>
          End tour
        </Button>
        <span className={style.gap} />
        {before && <Button onClick={() => goToStop(before)}>Back</Button>}
        {next ? (
          <Button kind="go" onClick={() => goToStop(next)}>
            Next
          </Button>
        ) : (
          <Button kind="go" onClick={() => end('done')}>
            Done
          </Button>
        )}
      </div>
    </section>
  )
}

/** Opens the screen of the stop, once. `start`: a button where the demo must run first. `isLost`: there is no demo agent. */
function useScreenOf(stop: Stop): { isLost: boolean; start: ReactNode } {
  const { history } = useRouter()
  const { demo, isThere } = useDemoAgent()
  const { data: run } = useQuery({ ...demoRunQuery(demo?.id ?? ''), enabled: demo !== undefined })
  const path = pathOf(stop, demo?.id, run === undefined ? undefined : (run?.id ?? null))
  useEffect(() => {
    if (path !== undefined && window.location.pathname !== path) history.push(path)
  }, [history, path])
  const needsDemo = stop === 'run' || stop === 'agent'
  return {
    isLost: needsDemo && isThere === false,
    start: stop === 'run' && demo && run === null ? <StartDemo agentId={demo.id} /> : null,
  }
}

/** Undefined: it is not known yet. `runId` is null when the demo has not run. */
function pathOf(stop: Stop, agentId: string | undefined, runId: string | null | undefined): string | undefined {
  if (stop === 'overview') return '/'
  if (stop === 'runs' || stop === 'inbox') return `/${stop}`
  if (stop === 'agent') return agentId === undefined ? undefined : `/agents/${agentId}`
  if (runId === undefined) return undefined
  return runId === null ? '/runs' : `/runs/${runId}`
}

function StartDemo({ agentId }: { agentId: string }) {
  const queries = useQueryClient()
  const { unable } = useSession()
  const start = useMutation({
    mutationFn: () => runyard.runs.start({ agent_id: agentId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: demoRunQuery(agentId).queryKey }),
    onError: (error) => toastError('The demo was not started', error),
  })
  return (
    <Button icon="play" isBusy={start.isPending} unable={unable('runs:write')} onClick={() => start.mutate()}>
      Run the demo
    </Button>
  )
}
