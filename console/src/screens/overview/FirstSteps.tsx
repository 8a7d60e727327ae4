// The first steps of a newcomer, until they are done: a run, an answer, a key, an assistant.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { set, useSetting } from '../../app/settings.ts'
import { StatusShape } from '../../look/StatusShape.tsx'
import { Button, ButtonLink } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { CommandLine } from '../../parts/CommandLine.tsx'
import { Meter } from '../../parts/Meter.tsx'
import { toastError } from '../../parts/toasts.tsx'
import { demoName, useDemoAgent } from '../../queries/demo.ts'
import { firstStepsQuery, type FirstSteps as Done } from '../../queries/firstSteps.ts'
import { NewKeyDialog } from '../people/NewKeyDialog.tsx'
import style from './FirstSteps.module.css'

interface Step {
  isDone: (done: Done) => boolean
  title: string
  /** Shown while it is the next one. */
  how: ReactNode
  /** Only an admin can do it. */
  needsKeys?: boolean
}

const steps: Step[] = [
  { isDone: ({ hasRun }) => hasRun, title: 'Run the demo agent', how: <RunDemo /> },
  { isDone: ({ hasAnswered }) => hasAnswered, title: 'Answer its question', how: <AnswerIt /> },
  { isDone: ({ hasKey }) => hasKey, title: 'Make a key for your program', how: <MakeKey />, needsKeys: true },
  { isDone: ({ hasMcp }) => hasMcp, title: 'Connect your assistant by MCP', how: <ConnectMcp /> },
]

export function FirstSteps() {
  const { unable } = useSession()
  const mayManageKeys = unable('keys:manage') === undefined
  const isHidden = useSetting('firstSteps') === 'hidden'
  const { data: done } = useQuery({ ...firstStepsQuery(mayManageKeys), enabled: !isHidden })
  if (isHidden || !done) return null
  const mine = steps.filter(({ needsKeys }) => mayManageKeys || !needsKeys)
  const count = mine.filter(({ isDone }) => isDone(done)).length
  if (count === mine.length) return null
  const next = mine.find(({ isDone }) => !isDone(done))
  const says = `${count} of ${mine.length}`
  return (
    <Card
      title="First steps"
      aside={
        <>
          <Meter share={count / mine.length} says={`${says} steps done`} width={72} />
          {says}
          <Button
            kind="quiet"
            icon="cross"
            aria-label="Hide the first steps"
            onClick={() => set('firstSteps', 'hidden')}
          />
        </>
      }
    >
      <ol className={style.steps}>
        {mine.map((step, at) => (
          <li key={step.title} className={step.isDone(done) ? style.done : step === next ? style.next : undefined}>
            {step.isDone(done) ? <StatusShape shape="done" label="Done" /> : <i aria-hidden>{at + 1}</i>}
            <div>
              <span>{step.title}</span>
              {step === next && step.how}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function RunDemo() {
  const navigate = useNavigate()
  const { unable } = useSession()
  const { demo, isThere } = useDemoAgent()
  const start = useMutation({
    mutationFn: (agent_id: string) => runyard.runs.start({ agent_id }),
    onSuccess: ({ run_id }) => navigate({ to: '/runs/$runId', params: { runId: run_id } }),
    onError: (error) => toastError('The demo was not started', error),
  })
  if (isThere === false)
    return (
      <div className={style.how}>
        <p>The demo agent is gone. Any other agent will do.</p>
        <ButtonLink to="/agents" kind="go">
          Choose an agent
        </ButtonLink>
      </div>
    )
  return (
    <div className={style.how}>
      <p>It needs no model: it looks at stock, asks you, and orders paper.</p>
      <CommandLine text={`npx runyard run '${demoName}' --wait`} />
      <Button
        kind="go"
        icon="play"
        isBusy={start.isPending || !demo}
        unable={unable('runs:write')}
        onClick={() => demo && start.mutate(demo.id)}
      >
        Run it
      </Button>
    </div>
  )
}

function AnswerIt() {
  return (
    <div className={style.how}>
      <p>The run waits until a person says yes or no.</p>
      <ButtonLink to="/inbox" kind="go" icon="inbox">
        Open inbox
      </ButtonLink>
    </div>
  )
}

function MakeKey() {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className={style.how}>
      <p>A key starts runs. Approving needs a scope of its own.</p>
      <CommandLine text="npx runyard key create" />
      <Button kind="go" onClick={() => setOpen(true)}>
        Make a key
      </Button>
      {isOpen && <NewKeyDialog onClose={() => setOpen(false)} />}
    </div>
  )
}

function ConnectMcp() {
  return (
    <div className={style.how}>
      <p>
        Your assistant can then start runs and answer requests. Make a key for it under{' '}
        <Link className="link" to="/people" search={{ tab: 'keys' }}>
          Keys and members
        </Link>
        .
      </p>
      <a className="link" href="/docs/mcp" target="_blank" rel="noreferrer">
        How each assistant is connected
      </a>
    </div>
  )
}
