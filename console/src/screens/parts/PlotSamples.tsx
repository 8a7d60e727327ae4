// Plots of a day, of a month, of nothing.
import { useState } from 'react'
import { dollars } from '../../parts/amounts.ts'
import { BarPlot, Legend, LinePlot, type PlotSeries } from '../../parts/Plot.tsx'
import { Sample } from './Sample.tsx'

const hourMs = 3_600_000
const now = Math.floor(Date.now() / hourMs) * hourMs
const hours = Array.from({ length: 24 }, (_, at) => new Date(now - (23 - at) * hourMs).toISOString())
const quarters = Array.from({ length: 72 }, (_, at) => new Date(now - (71 - at) * (hourMs / 3)).toISOString())
const days = Array.from({ length: 30 }, (_, at) => new Date(now - (29 - at) * 24 * hourMs).toISOString())
const end = new Date(now + hourMs).toISOString()
const wave = (at: number, size: number) => Math.round(size * (1.2 + Math.sin(at / 3.4)) * (1 + ((at * 7919) % 13) / 20))

const seriesOf = (length: number): PlotSeries[] => [
  { label: 'completed', color: 'done', values: Array.from({ length }, (_, at) => wave(at, 40)) },
  { label: 'running', color: 'running', values: Array.from({ length }, (_, at) => (at === length - 1 ? 7 : 0)) },
  { label: 'waiting', color: 'waiting', values: Array.from({ length }, (_, at) => (at % 11 === 5 ? 3 : 0)) },
  {
    label: 'failed',
    color: 'failed',
    values: Array.from({ length }, (_, at) => (at % 5 === 2 ? (at % 10 === 2 ? 1 : 6) : 0)),
  },
]

export function PlotSamples() {
  const [chosen, setChosen] = useState<{ since?: string; until?: string }>({})
  const cost: PlotSeries[] = [{ label: 'cost', color: 'line', values: hours.map((_, at) => wave(at, 40) / 40) }]
  return (
    <>
      <Sample name="A day, by hour">
        <Legend series={seriesOf(24)} />
        <BarPlot
          label="Runs by hour"
          starts={hours}
          end={end}
          series={seriesOf(24)}
          about={(at) => at % 5 === 2 && 'Vendor onboarding'}
        />
      </Sample>
      <Sample name="With a brush, without a scale">
        <BarPlot
          label="Runs"
          starts={quarters}
          end={end}
          series={seriesOf(72)}
          height={80}
          hasScale={false}
          selection={chosen}
          onSelect={(since, until) => setChosen({ ...(since && { since }), ...(until && { until }) })}
        />
        <p className="small dim">{JSON.stringify(chosen)}</p>
      </Sample>
      <Sample name="A month">
        <BarPlot label="Runs by day" starts={days} end={end} series={seriesOf(30)} />
      </Sample>
      <Sample name="Cost">
        <LinePlot
          label="Cost by hour"
          starts={hours}
          end={end}
          series={cost}
          before={hours.map((_, at) => wave(at + 3, 36) / 40)}
          format={dollars}
        />
      </Sample>
      <Sample name="Nothing">
        <BarPlot
          label="Runs by hour"
          starts={hours}
          end={end}
          series={[{ label: 'completed', color: 'done', values: [] }]}
        />
      </Sample>
    </>
  )
}
