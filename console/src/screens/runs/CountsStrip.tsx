// How many runs there were over time, by how they stand now. A legend that filters by status, a brush that filters by time.
import type { GetRunCountsAnswer } from '@runyard/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { messageOf } from '../../app/client.ts'
import { classes } from '../../look/classes.ts'
import { Icon } from '../../look/Icon.tsx'
import { count } from '../../parts/amounts.ts'
import { Menu } from '../../parts/Menu.tsx'
import { BarPlot, type PlotColor } from '../../parts/Plot.tsx'
import { useNow } from '../../parts/Time.tsx'
import { runCountsQuery } from '../../queries/runs.ts'
import type { ApiFilter } from './apiFilter.ts'
import style from './CountsStrip.module.css'
import type { ChangeSearch } from './FilterEditor.tsx'
import { countedNames, mergeBuckets, plotTime, spanWords, type CountedName } from './plotTime.ts'
import { spans, statusesOf, type RunsSearch } from './search.ts'

interface CountsStripProps {
  search: RunsSearch
  filter: ApiFilter
  zone: string
  onChange: ChangeSearch
}

const colors: Record<CountedName, PlotColor> = {
  completed: 'done',
  stopped: 'done',
  failed: 'failed',
  waiting: 'waiting',
  running: 'running',
  pending: 'running',
}

/** In the legend those come first that there are most of. */
const inLegend: CountedName[] = ['completed', 'failed', 'waiting', 'running', 'pending', 'stopped']

export function CountsStrip({ search, filter, zone, onChange }: CountsStripProps) {
  const now = useNow(60_000)
  const time = plotTime(search.span ?? '24h', filter, now)
  const { status: _, since: __, until: ___, ...narrowed } = filter
  const { data, error } = useQuery({
    ...runCountsQuery({ ...narrowed, since: time.since, interval: time.interval, time_zone: zone }),
    placeholderData: keepPreviousData,
  })
  const total = data && countedNames.reduce((sum, name) => sum + data.totals[name], 0)
  return (
    <section className={style.strip} aria-label="Runs over time">
      <div className={style.legend}>
        <Menu
          label="Time of the plot"
          trigger={
            <button type="button" className={style.span}>
              <span className="forReaders">Time of the plot: </span>
              {total === undefined ? '' : `${count(total)} in `}
              {time.says}
              <Icon name="down" size={12} />
            </button>
          }
          items={spans.map((span) => ({
            label: spanWords(span),
            isChecked: span === time.span,
            onSelect: () => onChange({ span: span === '24h' ? undefined : span }),
          }))}
        />
        {data && <Legend totals={data.totals} search={search} />}
      </div>
      {data && !error && <Bars data={data} merged={time.merged} search={search} filter={filter} onChange={onChange} />}
      {!data && !error && <div className={style.place} aria-busy="true" />}
      {error && <p className={style.problem}>No plot: {messageOf(error)}</p>}
    </section>
  )
}

function Legend({ totals, search }: { totals: GetRunCountsAnswer['totals']; search: RunsSearch }) {
  const chosen = statusesOf(search)
  return (
    <ul>
      {inLegend
        .filter((name) => totals[name] > 0 || chosen.includes(name))
        .map((name) => {
          const isOnly = chosen.length === 1 && chosen[0] === name
          return (
            <li key={name}>
              <Link
                from="/runs"
                to="/runs"
                className={classes(chosen.length > 0 && !isShown(name, chosen) && style.other)}
                aria-current={isOnly ? 'true' : undefined}
                title={isOnly ? 'Show all statuses' : `Show only those that are ${name}`}
                search={(before) => ({ ...before, status: isOnly ? undefined : name, page: undefined })}
              >
                <i className={style[name]} />
                {count(totals[name])} {name}
              </Link>
            </li>
          )
        })}
    </ul>
  )
}

/** A run that waits for a person waits, too. */
const isShown = (name: CountedName, chosen: string[]): boolean =>
  chosen.length === 0 || chosen.includes(name) || (name === 'waiting' && chosen.includes('needs_attention'))

interface BarsProps {
  data: GetRunCountsAnswer
  merged: number
  search: RunsSearch
  filter: ApiFilter
  onChange: ChangeSearch
}

function Bars({ data, merged, search, filter, onChange }: BarsProps) {
  const chosen = statusesOf(search)
  const onlyPersons = chosen.includes('needs_attention') && !chosen.includes('waiting')
  const buckets = data.buckets.map((bucket) => ({
    ...bucket,
    waiting: onlyPersons ? bucket.needs_attention : bucket.waiting,
  }))
  const bars = mergeBuckets(buckets, merged)
  return (
    <BarPlot
      label="Runs"
      height={84}
      hasScale={false}
      starts={bars.map(({ start }) => start)}
      end={data.until}
      series={countedNames
        .filter((name) => isShown(name, chosen))
        .map((name) => ({ label: name, color: colors[name], values: bars.map((bar) => bar[name]) }))}
      selection={{ since: filter.since, until: filter.until }}
      // what reaches up to now has no end: new runs are a part of it
      onSelect={(since, until) => onChange({ since, until: until === data.until ? undefined : until })}
    />
  )
}
