// Usage by day: a bar leads to the runs of its day, and a stretch of bars to those of its days.
import type { BillingUsage } from '@runyard/sdk'
import { useNavigate } from '@tanstack/react-router'
import layout from '../../parts/CardPage.module.css'
import { count, counted, dollars, money } from '../../parts/amounts.ts'
import { Card } from '../../parts/Card.tsx'
import { BarPlot } from '../../parts/Plot.tsx'
import type { UsageDays } from '../../queries/usage.ts'
import { eachDay, midnight } from './period.ts'
import type { Measure } from './search.ts'

const titles: Record<Measure, string> = { cost: 'Cost by day', tokens: 'Tokens by day', runs: 'Runs by day' }

export function ByDay({ usage, days, show }: { usage: BillingUsage; days: UsageDays; show: Measure }) {
  const navigate = useNavigate()
  const known = new Map(usage.by_day.map((row) => [row.day, row]))
  const dates = eachDay(days)
  const values = dates.map((day) => {
    const row = known.get(day)
    return { cost: row?.cost_usd ?? 0, tokens: row?.tokens ?? 0, runs: row?.runs ?? 0 }
  })
  const total = values.reduce((sum, value) => sum + value[show], 0)
  return (
    <Card title={titles[show]} facts={amountWords(show, total)}>
      <div className={layout.plot}>
        <BarPlot
          label={titles[show]}
          starts={dates.map(midnight)}
          end={midnight(days.until)}
          zone="UTC"
          series={[{ label: show, color: 'running', values: values.map((value) => value[show]) }]}
          format={show === 'cost' ? dollars : count}
          about={(at) => counted(values[at]?.runs ?? 0, 'run')}
          onSelect={(since, until) =>
            since !== undefined && until !== undefined && void navigate({ to: '/runs', search: { since, until } })
          }
        />
      </div>
      <p className={layout.note}>Click a day, or drag over several, to see the runs that were made then.</p>
    </Card>
  )
}

const amountWords = (show: Measure, total: number): string =>
  show === 'cost' ? money(total) : show === 'tokens' ? counted(total, 'token') : counted(total, 'run')
