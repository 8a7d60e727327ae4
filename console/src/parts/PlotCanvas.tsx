// The drawn part of a plot, with uPlot: bars in stacks, or a line. It is loaded when a plot is first shown.
import { useEffect, useEffectEvent, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useSetting, zoneOf } from '../app/settings.ts'
import { margins, type PlotColor, type PlotSeries } from './plotData.ts'
import { roundTop, scaleTicks, stackTotals, timeLabels } from './plotScale.ts'

interface PlotCanvasProps {
  kind: 'bars' | 'line'
  starts: number[]
  end: number
  series: PlotSeries[]
  /** The same time before, as a dashed line. */
  before?: number[] | undefined
  hasScale: boolean
  height: number
  format: (value: number) => string
  /** Undefined: the person's own. */
  zone: string | undefined
}

type Context = CanvasRenderingContext2D

/** A bar that stands for something is never too low to be seen. */
const barMin = 2
const labelWidth = 88

export default function PlotCanvas(props: PlotCanvasProps) {
  const { kind, starts, end, series, before, hasScale, height } = props
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(undefined)
  const own = zoneOf(useSetting('zone'))
  const zone = props.zone ?? own
  const theme = useSetting('theme')
  const format = useEffectEvent(props.format)
  const shown = JSON.stringify({ starts, end, series, before })

  useEffect(() => {
    const box = place.current
    if (!box) return undefined
    const data = JSON.parse(shown) as Pick<PlotCanvasProps, 'starts' | 'end' | 'series' | 'before'>
    const look = lookOf(box)
    const made = new UPlot(
      optionsOf({
        ...data,
        kind,
        hasScale,
        height,
        zone,
        look,
        width: box.clientWidth,
        format: (value) => format(value),
      }),
      dataOf(kind, data),
      box,
    )
    plot.current = made
    const sizes = new ResizeObserver(([entry]) => {
      if (entry) made.setSize({ width: Math.floor(entry.contentRect.width), height })
    })
    sizes.observe(box)
    return () => {
      sizes.disconnect()
      made.destroy()
      plot.current = undefined
    }
  }, [kind, shown, hasScale, height, zone])

  // colours are read from the tokens whenever it is drawn
  useEffect(() => {
    const redraw = () => plot.current?.redraw(false, true)
    redraw()
    const system = window.matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', redraw)
    return () => system.removeEventListener('change', redraw)
  }, [theme])

  return <div ref={place} style={{ height }} aria-hidden />
}

interface Look {
  color: (name: string) => string
  font: string
}

function lookOf(box: HTMLElement): Look {
  const style = getComputedStyle(box)
  return {
    color: (name) => style.getPropertyValue(name).trim(),
    font: `11px ${style.fontFamily}`,
  }
}

interface Wanted extends Omit<PlotCanvasProps, 'hasScale'> {
  hasScale: boolean
  zone: string
  look: Look
  width: number
}

/** A value stands in the middle of its bucket. */
const middles = (starts: number[], end: number): number[] =>
  starts.map((start, at) => (start + (starts[at + 1] ?? end)) / 2)

function dataOf(
  kind: Wanted['kind'],
  { starts, end, series, before }: Pick<Wanted, 'starts' | 'end' | 'series' | 'before'>,
) {
  const times = middles(starts, end).map((ms) => ms / 1000)
  const values = kind === 'bars' ? [stackTotals(series, starts.length)] : [series[0]?.values ?? [], before ?? []]
  return [times, ...values.map((row) => starts.map((_, at) => row[at] ?? null))] as UPlot.AlignedData
}

function optionsOf(wanted: Wanted): UPlot.Options {
  const { kind, starts, end, hasScale, height, width, look, series, before, zone, format } = wanted
  const margin = margins(hasScale)
  const highest = Math.max(
    0,
    ...(kind === 'bars' ? stackTotals(series, starts.length) : [...(series[0]?.values ?? []), ...(before ?? [])]),
  )
  const top = roundTop(highest)
  const room = Math.floor((width - margin.left) / labelWidth)
  const times = middles(starts, end)
  const isNow = end > Date.now() && Date.now() > (starts[0] ?? 0)
  const first = starts[0] ?? 0
  const leftOf = (ms: number) => ((ms - first) / (end - first)) * (width - margin.left)
  const labels = timeLabels(starts, zone, room)
    .map(({ at, text }) => ({ at: times[starts.indexOf(at)] ?? at, text }))
    // what would be cut at the edge, or run into the word there, is left out
    .filter(({ at }) => leftOf(at) < width - margin.left - (isNow ? 56 : 22) && (hasScale || leftOf(at) > 16))
  const ink = () => look.color('--ink-3')
  return {
    width,
    height,
    padding: [margin.top, margin.right, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, range: [(starts[0] ?? 0) / 1000, end / 1000] }, y: { range: [0, top] } },
    axes: [
      {
        splits: () => labels.map(({ at }) => at / 1000),
        values: () => labels.map(({ text }) => text),
        size: margin.bottom,
        gap: 6,
        font: look.font,
        stroke: ink,
        grid: { show: false },
        ticks: { show: false },
        border: { show: true, width: 1, stroke: () => look.color('--line-mid') },
      },
      {
        show: hasScale,
        splits: () => scaleTicks(top, kind === 'bars'),
        values: (_, ticks) => ticks.map((tick) => (tick === 0 ? '0' : format(tick))),
        size: margin.left,
        gap: 8,
        font: look.font,
        stroke: ink,
        grid: { width: 1, stroke: () => look.color('--plot-grid') },
        ticks: { show: false },
      },
    ],
    series: [{}, ...(kind === 'bars' ? [hiddenSeries] : lineSeries(look))],
    hooks: {
      draw: [
        (plot) => (kind === 'bars' ? drawBars(plot, wanted) : drawEnd(plot, look)),
        (plot) => isNow && drawNow(plot, look),
      ],
    },
  }
}

const hiddenSeries: UPlot.Series = { paths: () => null, points: { show: false } }

function lineSeries(look: Look): UPlot.Series[] {
  return [
    {
      stroke: () => look.color('--plot-line'),
      fill: () => `color-mix(in srgb, ${look.color('--plot-fill')} 62%, transparent)`,
      width: 1.75,
      points: { show: false },
    },
    { stroke: () => look.color('--ink-3'), width: 1.25, dash: [3, 3], points: { show: false } },
  ]
}

const tokens: Record<PlotColor, string> = {
  done: '--plot-done',
  failed: '--plot-failed',
  waiting: '--plot-waiting',
  running: '--plot-running',
  line: '--plot-line',
}

function drawBars(plot: UPlot, { starts, end, series, look }: Wanted): void {
  const { ctx } = plot
  const ratio = window.devicePixelRatio
  ctx.save()
  for (const [at, start] of starts.entries()) {
    const left = plot.valToPos(start / 1000, 'x', true)
    const right = plot.valToPos((starts[at + 1] ?? end) / 1000, 'x', true)
    const gap = Math.min(right - left > 14 * ratio ? 6 * ratio : 2 * ratio, (right - left) * 0.3)
    const x = Math.round(left + gap / 2)
    const width = Math.max(1, Math.round(right - left - gap))
    drawStack(plot, ctx, { at, x, width, ratio }, series, look)
  }
  ctx.restore()
}

/** From the bottom up, a hair of space between two. */
function drawStack(
  plot: UPlot,
  ctx: Context,
  { at, x, width, ratio }: { at: number; x: number; width: number; ratio: number },
  series: PlotSeries[],
  look: Look,
): void {
  const floor = plot.valToPos(0, 'y', true)
  let bottom = floor
  for (const { values, color } of series) {
    const value = values[at] ?? 0
    if (value <= 0) continue
    const height = Math.max(barMin * ratio, Math.round(floor - plot.valToPos(value, 'y', true)))
    ctx.fillStyle = look.color(tokens[color])
    ctx.fillRect(x, bottom - height, width, height)
    bottom -= height + (height > 3 * ratio ? Math.round(ratio) : 0)
  }
}

/** The word at the right end of the times. */
function drawNow(plot: UPlot, look: Look): void {
  const { ctx, bbox } = plot
  const ratio = window.devicePixelRatio
  ctx.save()
  ctx.font = look.font.replace('11px', `${11 * ratio}px`)
  ctx.fillStyle = look.color('--ink-3')
  ctx.textAlign = 'right'
  ctx.textBaseline = 'top'
  ctx.fillText('now', bbox.left + bbox.width, bbox.top + bbox.height + 6 * ratio)
  ctx.restore()
}

/** A dot where the line is now. */
function drawEnd(plot: UPlot, look: Look): void {
  const [times = [], values = []] = plot.data
  const last = values.findLastIndex((value) => value !== null && value !== undefined)
  const [time, value] = [times[last], values[last]]
  if (time === undefined || value === undefined || value === null) return
  const ratio = window.devicePixelRatio
  const { ctx } = plot
  ctx.save()
  ctx.beginPath()
  ctx.arc(plot.valToPos(time, 'x', true), plot.valToPos(value, 'y', true), 4 * ratio, 0, 2 * Math.PI)
  ctx.fillStyle = look.color('--plot-line')
  ctx.fill()
  ctx.restore()
}
