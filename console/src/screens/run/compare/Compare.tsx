// Two runs of an agent beside each other: how they ended, what they took, and their steps line by line.
import type { GetRunAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { classes } from '../../../look/classes.ts'
import { clockTime } from '../../../parts/Time.tsx'
import { useSetting, zoneOf } from '../../../app/settings.ts'
import { Empty, Shown, Skeleton } from '../../../parts/states.tsx'
import { isEnded, statusWord } from '../../../parts/Status.tsx'
import { runQuery } from '../../../queries/runs.ts'
import { useRunAddress } from '../address.ts'
import type { Steps } from '../timeline/stepStore.ts'
import { useSteps } from '../timeline/useSteps.ts'
import style from './Compare.module.css'
import { ComparedRuns } from './ComparedRuns.tsx'
import { ComparedSteps } from './ComparedSteps.tsx'

type Run = GetRunAnswer['run']

export function Compare({ run, steps }: { run: Run; steps: Steps }) {
  const { search } = useRunAddress()
  return (
    <div className={style.compare}>
      <Choose run={run} />
      {search.with === undefined ? (
        <Empty icon="diff" title="Compare with another run">
          Choose another run of {run.agent_name.slice(0, 80)}. Their steps stand beside each other, and what differs is
          marked: state, time, arguments and results.
        </Empty>
      ) : (
        <Against key={search.with} run={run} steps={steps} otherId={search.with} />
      )}
    </div>
  )
}

function Choose({ run }: { run: Run }) {
  const { search, choose } = useRunAddress()
  const id = useId()
  const [words, setWords] = useState('')
  const timeZone = zoneOf(useSetting('zone'))
  const others = useQuery({
    queryKey: ['runs', 'of', run.agent_id, words],
    queryFn: async ({ signal }) =>
      (
        await runyard.runs
          .list({ agent_id: run.agent_id, limit: 50, ...(words !== '' && { search: words }) }, { signal })
          .page()
      ).data,
    placeholderData: (before) => before,
  })
  return (
    <div className={style.choose}>
      <label htmlFor={id}>Run {run.run_number} beside</label>
      <select
        id={id}
        value={search.with ?? ''}
        onChange={(event) => choose({ with: event.target.value === '' ? undefined : event.target.value })}
      >
        <option value="">Choose a run…</option>
        {search.with !== undefined && !others.data?.some((other) => other.id === search.with) && (
          <option value={search.with}>The run of the address</option>
        )}
        {others.data
          ?.filter((other) => other.id !== run.id)
          .map((other) => (
            <option key={other.id} value={other.id}>
              {other.run_number} · {statusWord(other.status)} · {clockTime(other.created_at, timeZone)} ·{' '}
              {other.title.slice(0, 60)}
            </option>
          ))}
      </select>
      <input
        aria-label="Find a run by words"
        placeholder="Find by words"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {others.error && <span className={style.problem}>{messageOf(others.error)}</span>}
    </div>
  )
}

function Against({ run, steps, otherId }: { run: Run; steps: Steps; otherId: string }) {
  const other = useQuery(runQuery(otherId))
  return (
    <Shown query={other} what="the other run">
      {({ run: found }) => <Beside left={run} right={found} leftSteps={steps} />}
    </Shown>
  )
}

function Beside({ left, right, leftSteps }: { left: Run; right: Run; leftSteps: Steps }) {
  const rightSteps = useSteps(right.id, !isEnded(right.status))
  const [isOnlyDifferent, setOnlyDifferent] = useState(false)
  return (
    <div className={classes(style.beside)}>
      <ComparedRuns left={left} right={right} />
      {leftSteps.steps.length + rightSteps.steps.length === 0 && !rightSteps.isComplete ? (
        <Skeleton what="steps" />
      ) : (
        <ComparedSteps
          left={leftSteps.steps}
          right={rightSteps.steps}
          leftRun={left}
          rightRun={right}
          isOnlyDifferent={isOnlyDifferent}
          onOnlyDifferent={setOnlyDifferent}
        />
      )}
    </div>
  )
}
