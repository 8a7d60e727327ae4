// Bars, upright or lying, side by side or stacked.
import { pointText, type ChartData, type Series } from './chartData.ts'
import {
  areFitting,
  cut,
  frame,
  fullName,
  plotArea,
  pointAxis,
  share,
  tickTexts,
  valueAxis,
  widest,
} from './chartFrame.ts'
import { draw, type Drawn, type DrawnElement } from './drawn.ts'
import { shownNumber } from './figures.ts'
import { scaleOf, shareOf, type Scale } from './scale.ts'

interface BarOptions {
  height: number
  isStacked: boolean
  direction: string
}

/** How many bars lie above each other before they are drawn upright instead. */
const lyingMax = 24
/** How wide a bar is at most, as a share of the width: one bar alone must not be a wall. */
const barMax = 0.09

export function barChart(data: ChartData, options: BarOptions): DrawnElement {
  const lies = options.direction === 'horizontal' || (options.direction !== 'vertical' && wantsToLie(data))
  return lies ? lying(data, options.isStacked) : upright(data, scaleFor(data, options.isStacked), options)
}

const scaleFor = (data: ChartData, isStacked: boolean): Scale =>
  scaleOf(extentOf(data, isStacked), { fromZero: true, isDuration: data.kind === 'duration' })

/** Names that have no room below upright bars are read better beside lying ones. */
const wantsToLie = ({ positions, labels }: ChartData): boolean =>
  positions === null && labels.length <= lyingMax && !areFitting(labels.map((label) => cut(label)))

function extentOf({ series, names }: ChartData, isStacked: boolean): number[] {
  if (!isStacked) return series.flatMap(({ values }) => values.filter((value) => value !== null))
  return names.flatMap((_, at) => {
    const values = series.map(({ values: all }) => all[at] ?? 0)
    return [sum(values.filter((value) => value > 0)), sum(values.filter((value) => value < 0))]
  })
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)

interface Box {
  x: string
  y: string
  width: string
  height: string
}

interface Segment {
  series: Series
  from: number
  to: number
  /** Which of the bars side by side it belongs to. */
  lane: number
  isEnd: boolean
}

/** The pieces of the bars at one point. */
function segmentsAt({ series }: ChartData, at: number, isStacked: boolean): Segment[] {
  const segments: Segment[] = []
  const tops = { above: 0, below: 0 }
  for (const [index, one] of series.entries()) {
    const value = one.values[at] ?? null
    if (value === null || value === 0) continue
    const side = value > 0 ? 'above' : 'below'
    const from = isStacked ? tops[side] : 0
    tops[side] = from + value
    segments.push({ series: one, from, to: from + value, lane: isStacked ? 0 : index, isEnd: true })
  }
  if (!isStacked) return segments
  return segments.map((segment) => ({ ...segment, isEnd: segment.to === tops[segment.to > 0 ? 'above' : 'below'] }))
}

function upright(data: ChartData, scale: Scale, { height, isStacked }: BarOptions): DrawnElement {
  const { left, drawn: axis } = valueAxis(scale, data)
  const slot = 1 / Math.max(1, data.names.length)
  const lanes = isStacked ? 1 : Math.max(1, data.series.length)
  const gap = data.names.length > 120 ? 0.05 : 0.28
  const width = Math.min(barMax, (slot * (1 - gap)) / lanes)
  // without values below zero, bars stand on the floor: there their lower corners are cut off
  const isOnFloor = scale.min >= 0
  const bars = data.names.map((_, at) => {
    const start = slot * (at + 0.5) - (width * lanes) / 2
    const pieces = segmentsAt(data, at, isStacked).map((segment) => {
      const [a, b] = [1 - shareOf(scale, segment.from), 1 - shareOf(scale, segment.to)]
      const inset = lanes > 1 ? width * 0.06 : 0
      const box = {
        x: share(start + segment.lane * width + inset),
        width: share(width - 2 * inset),
        y: share(Math.min(a, b)),
        height: share(Math.abs(a - b)),
      }
      return bar(segment, box, width < 0.012, isOnFloor)
    })
    const hit = draw('rect', { class: 'ry-hit', x: share(slot * at), y: 0, width: share(slot), height: '100%' })
    return draw('g', { class: 'ry-at' }, [hit, ...pieces.toReversed(), draw('title', {}, [pointText(data, at)])])
  })
  const centers = data.names.map((_, at) => slot * (at + 0.5))
  return frame(data, [
    plotArea(height, left, 8, data.table.title, [
      ...axis,
      draw('svg', { width: '100%', height: '100%' }, bars),
      ...pointAxis(data.labels, centers),
    ]),
    spaceBelow(),
  ])
}

const radius = 3

/** Only the end of a bar is round: what lies below it, or the floor, covers its other corners. */
function bar({ series, isEnd }: Segment, box: Box, isThin: boolean, isOnFloor: boolean): Drawn {
  const isRound = isEnd && !isThin
  const style = isRound && isOnFloor ? `height:calc(${box.height} + ${radius}px)` : undefined
  return draw('rect', { class: `ry-bar ry-${series.color}`, ...box, rx: isRound ? radius : undefined, style })
}

/** Room for the labels below the drawing. */
export const spaceBelow = (): Drawn => draw('div', { class: 'ry-below' })

const rowHeight = 28

function lying(data: ChartData, isStacked: boolean): DrawnElement {
  const lanes = isStacked ? 1 : Math.max(1, data.series.length)
  const each = lanes === 1 ? rowHeight : 14 * lanes + 12
  const thickness = lanes === 1 ? 16 : 12
  const labels = data.labels.map((label) => cut(label))
  const hasNumbers = !isStacked || data.series.length === 1
  const scale = hasNumbers ? tightScale(extentOf(data, isStacked)) : scaleFor(data, isStacked)
  const numbers = data.series.flatMap(({ values }) =>
    values.map((value) => (value === null ? '' : shownNumber(value, data.kind, true))),
  )
  const height = Math.max(1, labels.length) * each
  const grid = scale.ticks.flatMap((tick) => {
    const x = share(shareOf(scale, tick))
    return [draw('line', { class: tick === 0 ? 'ry-zero' : 'ry-grid', x1: x, x2: x, y1: 0, y2: height })]
  })
  const rows = data.names.map((name, at) => {
    const top = at * each + (each - (thickness + 2) * lanes + 2) / 2
    const pieces = segmentsAt(data, at, isStacked).flatMap((segment) => {
      const [a, b] = [shareOf(scale, segment.from), shareOf(scale, segment.to)]
      const y = top + segment.lane * (thickness + 2)
      const box = { x: share(Math.min(a, b)), width: share(Math.abs(a - b)), y: String(y), height: String(thickness) }
      const piece = bar(segment, box, false, false)
      if (!hasNumbers) return [piece]
      const text = shownNumber(segment.to - segment.from, data.kind, true)
      return [
        piece,
        draw('text', { class: 'ry-value-text', x: share(Math.max(a, b)), dx: 6, y: y + thickness / 2, dy: '0.35em' }, [
          text,
        ]),
      ]
    })
    const hit = draw('rect', { class: 'ry-hit', x: 0, y: at * each, width: '100%', height: each })
    const label = draw('text', { class: 'ry-y', x: -10, y: at * each + each / 2, dy: '0.35em' }, [
      labels[at]!,
      ...fullName(labels[at]!, name),
    ])
    return draw('g', { class: 'ry-at' }, [hit, label, ...pieces, draw('title', {}, [pointText(data, at)])])
  })
  const right = hasNumbers ? widest(numbers) + 12 : 12
  const ticks = hasNumbers ? [] : ticksBelow(scale, data)
  return frame(data, [
    plotArea(height, widest(labels) + 18, right, data.table.title, [...grid, ...rows, ...ticks]),
    ...(hasNumbers ? [] : [spaceBelow()]),
  ])
}

/** Bars with their numbers beside them need no round ticks, so the longest takes all the room. */
function tightScale(values: number[]): Scale {
  const { min, max } = values.reduce(
    (sofar, value) => ({ min: Math.min(sofar.min, value), max: Math.max(sofar.max, value) }),
    { min: 0, max: 0 },
  )
  return min === max ? { min: 0, max: 1, ticks: [0] } : { min, max, ticks: [0] }
}

/** Lying bars without numbers beside them need an axis. */
const ticksBelow = (scale: Scale, data: ChartData): Drawn[] =>
  tickTexts(scale, data).map((text, index) =>
    draw('text', { class: 'ry-x', x: share(shareOf(scale, scale.ticks[index]!)), y: '100%', dy: 18 }, [text]),
  )
