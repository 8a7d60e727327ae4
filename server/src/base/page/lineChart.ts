// Lines and areas over points, times or numbers. A missing value is a gap.
import { pointText, type ChartData, type Series } from './chartData.ts'
import { frame, plotArea, pointAxis, share, valueAxis } from './chartFrame.ts'
import { spaceBelow } from './barChart.ts'
import { draw, type Drawn, type DrawnElement } from './drawn.ts'
import { scaleOf, shareOf, type Scale } from './scale.ts'

interface LineOptions {
  height: number
  isArea: boolean
  isStacked: boolean
}

/** Paths have no shares, so they are drawn in this many units each way and stretched. */
const units = 1000

interface Layer {
  series: Series
  /** Null where there is no value. */
  tops: (number | null)[]
  floors: number[]
}

export function lineChart(data: ChartData, { height, isArea, isStacked }: LineOptions): DrawnElement {
  const layers = isStacked
    ? stacked(data)
    : data.series.map((series) => ({ series, tops: series.values, floors: series.values.map(() => 0) }))
  const values = layers.flatMap(({ tops }) => tops.filter((value) => value !== null))
  const scale = scaleOf(values, { fromZero: isArea, isDuration: data.kind === 'duration' })
  const { left, drawn: axis } = valueAxis(scale, data)
  const centers = centersOf(data)
  const shapes = draw(
    'svg',
    {
      viewBox: `0 0 ${units} ${units}`,
      preserveAspectRatio: 'none',
      width: '100%',
      height: '100%',
      class: 'ry-shapes',
    },
    layers.toReversed().flatMap((layer) => shapesOf(layer, centers, scale, isArea)),
  )
  const alone = layers.flatMap((layer) => lonePoints(layer, centers, scale))
  const hits = data.names.map((_, at) => hitAt(data, layers, centers, scale, at))
  return frame(data, [
    plotArea(height, left, 20, data.table.title, [
      ...axis,
      shapes,
      ...alone,
      ...hits,
      ...pointAxis(data.labels, centers),
    ]),
    spaceBelow(),
  ])
}

function centersOf({ positions, names }: ChartData): number[] {
  if (positions) return positions
  return names.map((_, at) => (names.length === 1 ? 0.5 : at / (names.length - 1)))
}

function stacked({ series, names }: ChartData): Layer[] {
  const sums = names.map(() => 0)
  return series.map((one) => {
    const floors = [...sums]
    const tops = names.map((_, at) => (sums[at] = sums[at]! + (one.values[at] ?? 0)))
    return { series: one, tops, floors }
  })
}

const at = (center: number, scale: Scale, value: number): string =>
  `${Number((center * units).toFixed(2))} ${Number(((1 - shareOf(scale, value)) * units).toFixed(2))}`

/** Runs of points without a gap. */
function runsOf({ tops }: Layer): number[][] {
  const runs: number[][] = []
  let run: number[] = []
  for (const [index, value] of tops.entries()) {
    if (value !== null) run.push(index)
    if ((value === null || index === tops.length - 1) && run.length > 0) {
      runs.push(run)
      run = []
    }
  }
  return runs
}

function shapesOf(layer: Layer, centers: number[], scale: Scale, isArea: boolean): Drawn[] {
  const { series, tops, floors } = layer
  return runsOf(layer)
    .filter((run) => run.length > 1)
    .flatMap((run) => {
      const line = run.map((index) => at(centers[index]!, scale, tops[index] ?? 0)).join('L')
      const floor = run.toReversed().map((index) => at(centers[index]!, scale, floors[index]!))
      const area = draw('path', { class: `ry-area ry-${series.color}`, d: `M${line}L${floor.join('L')}Z` })
      return [
        ...(isArea ? [area] : []),
        draw('path', { class: `ry-line ry-${series.color}`, d: `M${line}`, 'vector-effect': 'non-scaling-stroke' }),
      ]
    })
}

const dot = (series: Series, center: number, scale: Scale, value: number): Drawn =>
  draw('circle', {
    class: `ry-dot ry-${series.color}`,
    cx: share(center),
    cy: share(1 - shareOf(scale, value)),
    r: 3.5,
  })

/** A point between two gaps has no line, so it gets a dot. */
const lonePoints = (layer: Layer, centers: number[], scale: Scale): Drawn[] =>
  runsOf(layer)
    .filter((run) => run.length === 1)
    .flatMap(([index]) => dot(layer.series, centers[index!]!, scale, layer.tops[index!] ?? 0))

/** A part of the width that shows its values while the pointer is on it. */
function hitAt(data: ChartData, layers: Layer[], centers: number[], scale: Scale, index: number): Drawn {
  const center = centers[index]!
  const from = index === 0 ? 0 : (centers[index - 1]! + center) / 2
  const to = index === centers.length - 1 ? 1 : (centers[index + 1]! + center) / 2
  const dots = layers.flatMap(({ series, tops }) => {
    const value = tops[index] ?? null
    return value === null ? [] : [dot(series, center, scale, value)]
  })
  return draw('g', { class: 'ry-at ry-point' }, [
    draw('rect', { class: 'ry-hit', x: share(from), y: 0, width: share(to - from), height: '100%' }),
    draw('line', { class: 'ry-guide', x1: share(center), x2: share(center), y1: 0, y2: '100%' }),
    ...dots,
    draw('title', {}, [pointText(data, index)]),
  ])
}
