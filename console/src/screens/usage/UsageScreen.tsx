// Usage: what the team used by day, agent and model, each bar with the runs behind it, and its limits.
import type { BillingUsage } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Bar } from '../../app/Bar.tsx'
import layout from '../../parts/CardPage.module.css'
import { bytes, count, dollars, duration, money } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { Shown } from '../../parts/states.tsx'
import { Switch } from '../../parts/Switch.tsx'
import { useNow } from '../../parts/Time.tsx'
import { modelUsageQuery, usageQuery, type UsageDays } from '../../queries/usage.ts'
import { saveBlob } from '../../parts/files/saveFile.ts'
import { ByAgent } from './ByAgent.tsx'
import { ByDay } from './ByDay.tsx'
import { ByModel } from './ByModel.tsx'
import { Limits } from './Limits.tsx'
import { daysOfPeriod, periodNames, periods } from './period.ts'
import { measures, type Measure } from './search.ts'
import { csvKinds, usageCsv, type CsvKind } from './usageCsv.ts'
import style from './UsageScreen.module.css'

const route = getRouteApi('/frame/usage')
const hourMs = 3_600_000
const measureNames: Record<Measure, string> = { cost: 'Cost', tokens: 'Tokens', runs: 'Runs' }
const csvNames: Record<CsvKind, string> = { day: 'By day', agent: 'By agent', model: 'By model and agent' }

export function UsageScreen() {
  const search = route.useSearch()
  const { period = 'month', show = 'cost' } = search
  const days = daysOfPeriod(period, useNow(hourMs))
  const usage = useQuery(usageQuery(days))
  return (
    <>
      <Bar title="Usage">
        <span className={layout.wide}>
          <CopyAs operation="getBillingUsageHistory" input={{ ...days }} />
        </span>
        <SaveCsv days={days} usage={usage.data} />
      </Bar>
      <main className={layout.page}>
        <div className={layout.head}>
          <Switch
            label="Time"
            choices={periods.map((one) => ({
              label: periodNames[one],
              isOpen: one === period,
              link: { to: '/usage', search: { ...search, period: one === 'month' ? undefined : one } },
            }))}
          />
          <Switch
            label="What is measured"
            choices={measures.map((one) => ({
              label: measureNames[one],
              isOpen: one === show,
              link: { to: '/usage', search: { ...search, show: one === 'cost' ? undefined : one } },
            }))}
          />
          <span className={layout.fact}>
            {days.since} up to and including {lastDayOf(days)}, days of UTC
          </span>
        </div>
        <Shown query={usage} what="usage">
          {(found) => (
            <>
              <Figures usage={found} />
              <div className={layout.cards}>
                <div className={layout.column}>
                  <ByDay usage={found} days={days} show={show} />
                  <ByAgent usage={found} days={days} show={show} />
                  <ByModel usage={found} days={days} show={show} />
                </div>
                <div className={layout.column}>
                  <Limits />
                </div>
              </div>
            </>
          )}
        </Shown>
      </main>
    </>
  )
}

const lastDayOf = ({ until }: UsageDays): string => new Date(Date.parse(until) - 1).toISOString().slice(0, 10)

function Figures({ usage }: { usage: BillingUsage }) {
  const { runs, unsettled } = usage
  return (
    <dl className={style.figures}>
      <div>
        <dt>Cost of models</dt>
        <dd>
          {money(usage.model_cost_usd)}
          <span>
            {unsettled.calls === 0
              ? 'every call is settled'
              : `up to ${dollars(unsettled.cost_usd_max)} more for ${count(unsettled.calls)} lost answers`}
          </span>
        </dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>
          {count(usage.input_tokens + usage.output_tokens)}
          <span>
            {count(usage.input_tokens)} in, {count(usage.output_tokens)} out
          </span>
        </dd>
      </div>
      <div>
        <dt>Runs</dt>
        <dd>
          {count(runs.total)}
          <span>
            {count(runs.completed)} completed, {count(runs.failed)} failed, {count(runs.stopped)} stopped
          </span>
        </dd>
      </div>
      <div>
        <dt>Active time</dt>
        <dd>
          {duration(usage.active_seconds * 1000)}
          <span>without waits</span>
        </dd>
      </div>
      <div>
        <dt>Deliveries</dt>
        <dd>
          {count(usage.webhook_deliveries)}
          <span>that their receivers took</span>
        </dd>
      </div>
      <div>
        <dt>In sandboxes</dt>
        <dd>
          {bytes(usage.sandbox_bytes)}
          <span>at the end of the time</span>
        </dd>
      </div>
    </dl>
  )
}

function SaveCsv({ days, usage }: { days: UsageDays; usage: BillingUsage | undefined }) {
  const models = useQuery(modelUsageQuery(days))
  const cannot = usage && models.data ? undefined : 'Nothing is loaded yet.'
  const save = (kind: CsvKind) => {
    if (!usage || !models.data) return
    const text = usageCsv(kind, usage, models.data)
    saveBlob(new Blob([text], { type: 'text/csv' }), `usage-by-${kind}-${days.since}.csv`)
  }
  return (
    <Menu
      label="CSV"
      trigger={<Button icon="download">CSV</Button>}
      items={csvKinds.map((kind) => ({ label: csvNames[kind], unable: cannot, onSelect: () => save(kind) }))}
    />
  )
}
