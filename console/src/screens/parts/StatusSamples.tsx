// The status of runs, and bars that show how much.
import { Meter } from '../../parts/Meter.tsx'
import { Sparkline } from '../../parts/Sparkline.tsx'
import { Status, StatusPill } from '../../parts/Status.tsx'
import { Elapsed, Time } from '../../parts/Time.tsx'
import { Row, Sample } from './Sample.tsx'

const runs = [
  { status: 'pending' },
  { status: 'running' },
  { status: 'waiting', waiting_on: { kind: 'human' } },
  { status: 'waiting', waiting_on: { kind: 'time' } },
  { status: 'completed' },
  { status: 'failed' },
  { status: 'stopped' },
] as Parameters<typeof Status>[0]['run'][]

const day = (at: number, completed: number, failed: number) => ({ day: `2026-11-1${at}`, completed, failed })

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()

export function StatusSamples() {
  return (
    <>
      <Sample name="Status">
        <Row>
          {runs.map((run, at) => (
            <Status key={at} run={run} />
          ))}
        </Row>
      </Sample>
      <Sample name="Pills">
        <Row>
          {runs.map((run, at) => (
            <StatusPill key={at} run={run} />
          ))}
        </Row>
      </Sample>
      <Sample name="Meters">
        <Row>
          {[0, 0.2, 0.95, undefined].map((share, at) => (
            <Meter key={at} share={share} says={share === undefined ? 'going on' : `${share * 100} %`} width={80} />
          ))}
        </Row>
      </Sample>
      <Sample name="Sparklines">
        <Row>
          <Sparkline days={[1, 2, 3, 4, 5, 6, 7].map((at) => day(at, at * 3, at % 3 === 0 ? 4 : 0))} />
          <Sparkline days={[1, 2, 3, 4, 5, 6, 7].map((at) => day(at, at === 4 ? 4000 : 90, at === 4 ? 1 : 0))} />
          <Sparkline days={[1, 2, 3, 4, 5, 6, 7].map((at) => day(at, 0, at === 7 ? 2 : 0))} />
          <Sparkline days={[1, 2, 3, 4, 5, 6, 7].map((at) => day(at, 0, 0))} />
        </Row>
      </Sample>
      <Sample name="Times">
        <Row>
          <Time at={ago(1000)} /> <Time at={ago(240_000)} /> <Time at={ago(-9_000_000)} />{' '}
          <Time at={ago(90_000_000)} kind="clock" /> <Elapsed since={ago(400_000)} />
        </Row>
      </Sample>
    </>
  )
}
