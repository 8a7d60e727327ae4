// Drills: starts one, shows how far it is, and what the latest ones found.
import type { Drill, DrillResult } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { count, duration } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { Field, Input } from '../../parts/Field.tsx'
import { Progress } from '../../parts/Progress.tsx'
import { Cell, Row, RowTable } from '../../parts/RowTable.tsx'
import { Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { drillsQuery } from '../../queries/system.ts'
import style from './Drills.module.css'
import { isUnderWay, mustBeZero, phaseWords, readCount, stateShapes, stateWords } from './drillWords.ts'

const bounds = { runs: { min: 1, max: 5000 }, kills: { min: 0, max: 500 } }

export function Drills() {
  const drills = useQuery(drillsQuery)
  return (
    <Shown query={drills} what="the drills">
      {({ drills: found }) => {
        const underWay = found.find(isUnderWay)
        const ended = found.filter((drill) => !isUnderWay(drill))
        return (
          <>
            {underWay ? <UnderWay drill={underWay} /> : <StartDrill />}
            <h2 className={style.section}>Earlier drills</h2>
            {ended.length === 0 ? <p className="dim">No drill has ended yet.</p> : <Ended drills={ended} />}
          </>
        )
      }}
    </Shown>
  )
}

function StartDrill() {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [runs, setRuns] = useState('200')
  const [kills, setKills] = useState('20')
  const wanted = { runs: readCount(runs, bounds.runs), kills: readCount(kills, bounds.kills) }
  const start = useMutation({
    mutationFn: (body: { runs: number; kills: number }) => runyard.system.startDrill(body),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: drillsQuery.queryKey })
      toast('The drill was asked for')
    },
    onError: (error) => toastError('The drill was not started', error),
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    const { runs: runsWanted, kills: killsWanted } = wanted
    if (typeof runsWanted === 'number' && typeof killsWanted === 'number' && !start.isPending)
      start.mutate({ runs: runsWanted, kills: killsWanted })
  }
  const isWrong = typeof wanted.runs === 'string' || typeof wanted.kills === 'string'
  return (
    <Card title="Start a drill">
      <form className={style.form} onSubmit={submit}>
        <p className={style.says}>
          A drill makes a scratch team, starts workers for it alone, and kills them while they drive its runs. Then it
          counts what was lost, repeated or doubled, which must be nothing, and erases the team. Work of other teams is
          not touched.
        </p>
        <div className={style.fields}>
          <Field label="Runs" problem={typeof wanted.runs === 'string' ? wanted.runs : undefined}>
            <Input type="number" {...bounds.runs} value={runs} onChange={(event) => setRuns(event.target.value)} />
          </Field>
          <Field label="Workers to kill" problem={typeof wanted.kills === 'string' ? wanted.kills : undefined}>
            <Input type="number" {...bounds.kills} value={kills} onChange={(event) => setKills(event.target.value)} />
          </Field>
        </div>
        <Button
          kind="go"
          type="submit"
          icon="play"
          isBusy={start.isPending}
          unable={unable('system:write') ?? (isWrong ? 'Both must be whole numbers within their bounds.' : undefined)}
        >
          Start drill
        </Button>
      </form>
    </Card>
  )
}

function UnderWay({ drill }: { drill: Drill }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const stop = useMutation({
    mutationFn: () => runyard.system.stopDrill(),
    onSuccess: () => void queries.invalidateQueries({ queryKey: drillsQuery.queryKey }),
    onError: (error) => toastError('The drill was not stopped', error),
  })
  const { progress, runs, kills, stop_asked_at } = drill
  return (
    <Card title="Drill under way" facts={<Time at={drill.requested_at} />}>
      <div className={style.inside}>
        <Progress title={phaseWords(drill)} state="running" done={progress?.runs_ended ?? 0} total={runs}>
          <Button
            kind="no"
            icon="stop"
            isBusy={stop.isPending}
            unable={unable('system:write') ?? (stop_asked_at === null ? undefined : 'It is stopping already.')}
            onClick={() => stop.mutate()}
          >
            Stop drill
          </Button>
        </Progress>
        <p className={style.says}>
          {count(progress?.runs_started ?? 0)} of {count(runs)} runs started, {count(progress?.runs_ended ?? 0)} ended.{' '}
          {count(progress?.kills ?? 0)} of {count(kills)} workers killed. {count(progress?.deliveries ?? 0)} events
          delivered.
        </p>
      </div>
    </Card>
  )
}

function Ended({ drills }: { drills: Drill[] }) {
  const [latest] = drills
  return (
    <>
      {latest?.result && (
        <div className={style.latest}>
          <Latest drill={latest} result={latest.result} />
        </div>
      )}
      <RowTable
        heads={['When', 'Outcome', 'Runs', 'Kills', 'Not zero', 'Takeover p50', 'Takeover p99', 'Took']}
        numbers={['Runs', 'Kills', 'Not zero', 'Takeover p50', 'Takeover p99', 'Took']}
        hasActions={false}
      >
        {drills.map((drill) => (
          <EndedRow key={drill.id} drill={drill} />
        ))}
      </RowTable>
    </>
  )
}

const ms = (value: number | null | undefined): string => (value === null || value === undefined ? '' : duration(value))

function EndedRow({ drill }: { drill: Drill }) {
  const { result, state } = drill
  return (
    <Row>
      <Cell>
        <Time at={drill.requested_at} />
      </Cell>
      <Cell of="Outcome">
        <span className={style.state}>
          <StatusShape shape={stateShapes[state]} /> {stateWords[state]}
        </span>
        {drill.problem !== null && <p className={style.says}>{drill.problem}</p>}
      </Cell>
      <Cell of="Runs" isNumber>
        {count(result?.runs_started ?? drill.runs)}
      </Cell>
      <Cell of="Kills" isNumber>
        {count(result?.kills ?? drill.kills)}
      </Cell>
      <Cell of="Not zero" isNumber>
        {result ? count(mustBeZero(result).reduce((sum, one) => sum + one.count, 0)) : ''}
      </Cell>
      <Cell of="Takeover p50" isNumber>
        {ms(result?.takeover_p50_ms)}
      </Cell>
      <Cell of="Takeover p99" isNumber>
        {ms(result?.takeover_p99_ms)}
      </Cell>
      <Cell of="Took" isNumber>
        {ms(result?.took_ms)}
      </Cell>
    </Row>
  )
}

/** The verdict of the latest drill with every number behind it. */
function Latest({ drill, result }: { drill: Drill; result: DrillResult }) {
  return (
    <Card title="Latest result" facts={<Time at={drill.ended_at ?? drill.requested_at} />}>
      <div className={style.inside}>
        <p className={style.state}>
          <StatusShape shape={stateShapes[drill.state]} /> {result.verdict}
        </p>
        <dl className={style.counts}>
          {mustBeZero(result).map((one) => (
            <div key={one.what} data-wrong={one.count > 0 || undefined}>
              <dt>{one.what}</dt>
              <dd>{count(one.count)}</dd>
            </div>
          ))}
        </dl>
        <p className={style.says}>
          {count(result.calls)} calls, of which {count(result.calls_retried)} were retried as their rule allows and{' '}
          {count(result.in_doubt_asked)} were in doubt and asked about. {count(result.takeovers)} runs were taken over
          from killed workers. {count(result.deliveries)} deliveries, {count(result.deliveries_repeated)} of them
          repeated with the same bytes. {count(result.erased_runs)} runs were erased with their team.
        </p>
        {result.findings.length > 0 && (
          <ul className={style.findings} aria-label="Findings">
            {result.findings.map(({ what, detail }) => (
              <li key={`${what} ${detail}`}>
                <strong>{what}</strong> {detail}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}
