// Numbers over time: bars in stacks with a brush, or a line. The numbers are also there as a table for screen readers.
import { lazy, Suspense, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import { useSetting, zoneOf } from '../app/settings.ts'
import { classes } from '../look/classes.ts'
import { count } from './amounts.ts'
import style from './Plot.module.css'
import { margins, type PlotSeries } from './plotData.ts'
import { bucketAt, wholeEnd } from './plotScale.ts'

export type { PlotColor, PlotSeries } from './plotData.ts'

/** A screen is worth reading without its plot: one that cannot be loaded or begun (in a browser without a language) is left out. */
const Canvas = lazy(() => import('./PlotCanvas.tsx').catch(() => ({ default: NoCanvas })))

const NoCanvas = ({ height }: { height: number }) => (
  <div style={{ height }} className={style.missing}>
    The plot could not be loaded.
  </div>
)

interface Range {
  since: string
  until: string
}

interface PlotProps {
  /** What is plotted: `Runs by hour`. */
  label: string
  /** When each bucket begins, as the service gives it. */
  starts: string[]
  /** When the last one ends. */
  end: string
  /** From the bottom to the top of a stack; of a line, one. */
  series: PlotSeries[]
  /** How a value is written: `0.38 USD`. */
  format?: (value: number) => string
  /** More about a bucket, below its numbers. */
  about?: (at: number) => ReactNode
  height?: number
  /** Whether values stand beside it. */
  hasScale?: boolean
  /** The zone in which the buckets are whole; the person's own unless given. */
  zone?: string
}

/** Something that happened at a moment: a promotion. */
interface PlotMark {
  at: string
  label: string
}

interface BarPlotProps extends PlotProps {
  /** Drawn as lines; those outside of the time are left out. */
  marks?: PlotMark[]
  /** What is chosen. */
  selection?: Partial<Range> | undefined
  /** Called when a time was chosen with the brush; without times when the choice is taken back. */
  onSelect?: (since?: string, until?: string) => void
}

/** Bars that show at first glance where something broke. With `onSelect` a time can be chosen: by dragging, a click, or keys. */
export function BarPlot({ selection, onSelect, marks, ...plot }: BarPlotProps) {
  return (
    <Frame kind="bars" {...plot}>
      {(buckets) => (
        <>
          {marks && <Marks marks={marks} buckets={buckets} />}
          {onSelect && <Brush buckets={buckets} selection={selection} onSelect={onSelect} label={plot.label} />}
        </>
      )}
    </Frame>
  )
}

function Marks({ marks, buckets }: { marks: PlotMark[]; buckets: Buckets }) {
  const [first = 0] = buckets.starts
  const shown = marks.filter(({ at }) => Date.parse(at) >= first && Date.parse(at) < buckets.end)
  return (
    <ul className={style.marks}>
      {shown.map(({ at, label }) => (
        <li
          key={`${at} ${label}`}
          className={classes(buckets.share(Date.parse(at)) > 0.8 && style.before)}
          style={{ left: `${buckets.share(Date.parse(at)) * 100}%` }}
        >
          <span>{label}</span>
        </li>
      ))}
    </ul>
  )
}

/** One line with its ground filled, and where given a dashed one for the time before. */
export function LinePlot({ before, ...plot }: PlotProps & { before?: number[] | undefined }) {
  return <Frame kind="line" before={before} {...plot} />
}

/** Where times are, from 0 to 1. */
interface Buckets {
  /** Undefined: the person's own. */
  zone: string | undefined
  starts: number[]
  end: number
  edges: number[]
  share: (ms: number) => number
}

function bucketsOf(starts: string[], end: string, zone: string | undefined): Buckets {
  const times = starts.map((start) => Date.parse(start))
  const last = wholeEnd(times, Date.parse(end))
  const first = times[0] ?? last - 1
  return {
    zone,
    starts: times,
    end: last,
    edges: [...times, last],
    share: (ms) => Math.min(1, Math.max(0, (ms - first) / (last - first))),
  }
}

interface FrameProps extends PlotProps {
  kind: 'bars' | 'line'
  before?: number[] | undefined
  children?: (buckets: Buckets) => ReactNode
}

function Frame({ kind, before, children, ...plot }: FrameProps) {
  const { starts, end, series, format = count, about, height = 144, hasScale = true, zone, label } = plot
  const buckets = bucketsOf(starts, end, zone)
  const [pointed, setPointed] = useState<number>()
  const margin = margins(hasScale)
  if (starts.length === 0) return <div style={{ height }} />

  function point(event: PointerEvent<HTMLElement>) {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const share = (event.clientX - left) / width
    const [first = 0] = buckets.starts
    setPointed(bucketAt(buckets.starts, first + share * (buckets.end - first)))
  }
  const area = { left: margin.left, right: margin.right, top: margin.top, height: height - margin.top - margin.bottom }
  return (
    <figure className={style.plot} aria-label={label}>
      <Suspense fallback={<div style={{ height }} />}>
        <Canvas
          kind={kind}
          starts={buckets.starts}
          end={buckets.end}
          series={series}
          before={before}
          hasScale={hasScale}
          height={height}
          format={format}
          zone={zone}
        />
      </Suspense>
      <div className={style.area} style={area} onPointerMove={point} onPointerLeave={() => setPointed(undefined)}>
        {pointed !== undefined && pointed < starts.length && (
          <Readout at={pointed} buckets={buckets} series={series} before={before} format={format} about={about} />
        )}
        {children?.(buckets)}
      </div>
      <Numbers buckets={buckets} series={series} before={before} format={format} label={label} />
    </figure>
  )
}

/** `17 Nov, 17:00` or, where a bucket is a day, `17 Nov`. */
function useTimeWords(buckets: Buckets): (ms: number) => string {
  const own = zoneOf(useSetting('zone'))
  const timeZone = buckets.zone ?? own
  const isDays = (buckets.edges[1] ?? 0) - (buckets.edges[0] ?? 0) > 20 * 3_600_000
  const isOneDay = buckets.end - (buckets.starts[0] ?? 0) <= 86_400_000
  const format = new Intl.DateTimeFormat('en-GB', {
    ...(!isOneDay && { day: 'numeric', month: 'short' }),
    ...(!isDays && { hour: '2-digit', minute: '2-digit' }),
    ...(isDays && isOneDay && { day: 'numeric', month: 'short' }),
    timeZone,
  })
  return (ms) => format.format(ms)
}

interface Shown {
  buckets: Buckets
  series: PlotSeries[]
  before: number[] | undefined
  format: (value: number) => string
}

function Readout({ at, buckets, series, before, format, about }: Shown & { at: number; about: PlotProps['about'] }) {
  const words = useTimeWords(buckets)
  const start = buckets.edges[at] ?? 0
  const until = buckets.edges[at + 1] ?? buckets.end
  const middle = buckets.share((start + until) / 2)
  const rows = series.filter(({ values }) => (values[at] ?? 0) > 0 || series.length === 1).toReversed()
  return (
    <>
      <i
        className={style.pointed}
        style={{
          left: `${buckets.share(start) * 100}%`,
          width: `${(buckets.share(until) - buckets.share(start)) * 100}%`,
        }}
      />
      <div className={classes(style.readout, middle > 0.6 && style.toLeft)} style={{ left: `${middle * 100}%` }}>
        <b>{words(start)}</b>
        {rows.length === 0 && <span className="dim">none</span>}
        {rows.map(({ label, color, values }) => (
          <span key={label}>
            <i className={style[color]} /> {format(values[at] ?? 0)} {series.length > 1 && label}
          </span>
        ))}
        {before?.[at] !== undefined && <span className="dim">{format(before[at])} the time before</span>}
        {about?.(at)}
      </div>
    </>
  )
}

/** The hidden table has at most this many rows: nobody listens to more. */
const rowsMax = 200

function Numbers({ buckets, series, before, format, label }: Shown & { label: string }) {
  const words = useTimeWords(buckets)
  return (
    // a table is as large as its cells, whatever its class says
    <div className="forReaders">
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map((one) => (
              <th scope="col" key={one.label}>
                {one.label}
              </th>
            ))}
            {before && <th scope="col">the time before</th>}
          </tr>
        </thead>
        <tbody>
          {buckets.starts.slice(-rowsMax).map((start) => {
            const at = buckets.starts.indexOf(start)
            return (
              <tr key={start}>
                <th scope="row">{words(start)}</th>
                {series.map(({ label: name, values }) => (
                  <td key={name}>{format(values[at] ?? 0)}</td>
                ))}
                {before && <td>{before[at] === undefined ? '' : format(before[at])}</td>}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

interface BrushProps {
  buckets: Buckets
  selection: Partial<Range> | undefined
  onSelect: NonNullable<BarPlotProps['onSelect']>
  label: string
}

/** Edges of buckets by their position in `edges`. */
interface Edges {
  from: number
  to: number
}

function Brush({ buckets, selection, onSelect, label }: BrushProps) {
  const [dragged, setDragged] = useState<Edges & { anchor: number }>()
  const box = useRef<HTMLDivElement>(null)
  const words = useTimeWords(buckets)
  const last = buckets.edges.length - 1
  const kept = edgesOf(buckets, selection)
  const edges = dragged ?? kept
  const shown = edges ?? { from: 0, to: last }
  const place = (edge: number) => buckets.share(buckets.edges[edge] ?? buckets.end) * 100

  const bucketUnder = (event: PointerEvent) => {
    const { left = 0, width = 1 } = box.current?.getBoundingClientRect() ?? {}
    const [first = 0] = buckets.starts
    return bucketAt(buckets.starts, first + ((event.clientX - left) / width) * (buckets.end - first))
  }
  function choose({ from, to }: Edges) {
    if (from <= 0 && to >= last) return onSelect()
    onSelect(isoOf(buckets, from), isoOf(buckets, to))
  }
  function begin(event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const at = bucketUnder(event)
    setDragged({ anchor: at, from: at, to: at + 1 })
  }
  function go(event: PointerEvent<HTMLElement>) {
    if (!dragged) return
    const at = bucketUnder(event)
    setDragged({ ...dragged, from: Math.min(at, dragged.anchor), to: Math.max(at, dragged.anchor) + 1 })
  }
  function finish() {
    if (dragged) choose(dragged)
    setDragged(undefined)
  }
  const handle = (side: keyof Edges) => (
    <span
      role="slider"
      tabIndex={0}
      aria-label={`${label}: ${side === 'from' ? 'begins' : 'ends'}`}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={shown[side]}
      aria-valuetext={words(buckets.edges[shown[side]] ?? buckets.end)}
      aria-orientation="horizontal"
      className={classes(style.handle, !edges && style.resting)}
      style={{ left: `${place(shown[side])}%` }}
      onPointerDown={(event) => {
        event.stopPropagation()
        box.current?.setPointerCapture(event.pointerId)
        // the other edge stays
        setDragged({ ...shown, anchor: side === 'from' ? shown.to - 1 : shown.from })
      }}
      onKeyDown={(event: KeyboardEvent) => {
        const next = movedEdge(event, side, shown, last)
        if (!next) return
        event.preventDefault()
        event.stopPropagation()
        choose(next)
      }}
    />
  )
  return (
    <div
      ref={box}
      className={style.brush}
      role="group"
      aria-label={`${label}: choose a time`}
      onPointerDown={begin}
      onPointerMove={go}
      onPointerUp={finish}
      onPointerCancel={() => setDragged(undefined)}
    >
      {edges && (
        <i className={style.chosen} style={{ left: `${place(edges.from)}%`, right: `${100 - place(edges.to)}%` }} />
      )}
      {handle('from')}
      {handle('to')}
    </div>
  )
}

const isoOf = ({ edges, end }: Buckets, edge: number): string => new Date(edges[edge] ?? end).toISOString()

/** Undefined: nothing is chosen, or nothing of it is in the plot. */
function edgesOf(buckets: Buckets, selection: Partial<Range> | undefined): Edges | undefined {
  if (selection?.since === undefined && selection?.until === undefined) return undefined
  const since = selection.since === undefined ? -Infinity : Date.parse(selection.since)
  const until = selection.until === undefined ? Infinity : Date.parse(selection.until)
  const from = buckets.edges.findLastIndex((edge) => edge <= since)
  const to = buckets.edges.findIndex((edge) => edge >= until)
  const edges = { from: Math.max(0, from), to: to < 0 ? buckets.edges.length - 1 : to }
  return edges.from < edges.to ? edges : undefined
}

/** Arrows move an edge by one bucket, with Shift by six; Home and End as far as it goes; Escape takes the choice back. */
function movedEdge(event: KeyboardEvent, side: keyof Edges, edges: Edges, last: number): Edges | undefined {
  if (event.key === 'Escape') return { from: 0, to: last }
  const by = event.shiftKey ? 6 : 1
  const [min, max] = side === 'from' ? [0, edges.to - 1] : [edges.from + 1, last]
  const wanted = {
    ArrowLeft: edges[side] - by,
    ArrowDown: edges[side] - by,
    ArrowRight: edges[side] + by,
    ArrowUp: edges[side] + by,
    Home: min,
    End: max,
  }[event.key]
  return wanted === undefined ? undefined : { ...edges, [side]: Math.min(max, Math.max(min, wanted)) }
}

/** What the colours mean, with a number beside each where it is given. */
export function Legend({
  series,
  totals,
}: {
  series: Pick<PlotSeries, 'label' | 'color'>[]
  totals?: (string | number)[]
}) {
  return (
    <ul className={style.legend}>
      {series.map(({ label, color }, at) => (
        <li key={label}>
          <i className={style[color]} /> {totals?.[at]} {label}
        </li>
      ))}
    </ul>
  )
}
