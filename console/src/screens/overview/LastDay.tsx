// The last 24 hours by the hour: runs by how they ended, and what they cost beside the day before.
import type { GetRunCountsAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { count, dollars, money } from '../../parts/amounts.ts'
import { Card } from '../../parts/Card.tsx'
import { BarPlot, LinePlot, type PlotSeries } from '../../parts/Plot.tsx'
import { Shown } from '../../parts/states.tsx'
import { lastDayQuery } from '../../queries/overview.ts'
import style from './LastDay.module.css'
import { Legend } from './Legend.tsx'

type Buckets = GetRunCountsAnswer['buckets']

/** Grey at the bottom: a quiet day is grey. */
const seriesOf = (buckets: Buckets): PlotSeries[] => [
  { label: 'completed', color: 'done', values: buckets.map(({ completed, stopped }) => completed + stopped) },
  { label: 'failed', color: 'failed', values: buckets.map(({ failed }) => failed) },
  { label: 'waiting', color: 'waiting', values: buckets.map(({ waiting }) => waiting) },
  { label: 'running', color: 'running', values: buckets.map(({ pending, running }) => pending + running) },
]

const costs = (buckets: Buckets): number[] => buckets.map(({ cost_usd }) => cost_usd ?? 0)

const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0)

export function LastDay() {
  const query = useQuery(lastDayQuery)
  return (
    <Shown query={query} what="the last day" rows={6}>
      {({ day, before }) => (
        <>
          <RunsByHour day={day} />
          <CostByHour day={day} before={before} />
        </>
      )}
    </Shown>
  )
}

function RunsByHour({ day }: { day: GetRunCountsAnswer }) {
  const navigate = useNavigate()
  const series = seriesOf(day.buckets)
  const total = sum(series.flatMap(({ values }) => values))
  return (
    <Card title="Runs by hour" facts={`${count(total)} in 24 h`} aside={<Legend series={series} />}>
      <div className={style.plot}>
        <BarPlot
          label="Runs by hour"
          starts={day.buckets.map(({ start }) => start)}
          end={day.until}
          series={series}
          hasScale
          onSelect={(since, until) =>
            since !== undefined && until !== undefined && void navigate({ to: '/runs', search: { since, until } })
          }
        />
      </div>
    </Card>
  )
}

function CostByHour({ day, before }: { day: GetRunCountsAnswer; before: GetRunCountsAnswer }) {
  const values = costs(day.buckets)
  const earlier = costs(before.buckets)
  return (
    <Card title="Cost by hour" facts={`${money(sum(values))} in 24 h, ${dollars(sum(earlier))} the day before`}>
      <div className={style.plot}>
        <LinePlot
          label="Cost by hour in USD"
          starts={day.buckets.map(({ start }) => start)}
          end={day.until}
          series={[{ label: 'cost', color: 'line', values }]}
          before={earlier}
          format={dollars}
          hasScale
        />
      </div>
    </Card>
  )
}
