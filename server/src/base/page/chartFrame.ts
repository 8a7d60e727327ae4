// What all charts have: title, legend, axes. Positions are shares of the width, so a chart fits any column without its text being scaled.
import { draw, type Drawn, type DrawnElement } from './drawn.ts'
import { shownNumber } from './figures.ts'
import type { ChartData } from './chartData.ts'
import { shareOf, type Scale } from './scale.ts'

/** How wide a character of a label is, in pixels. */
const characterWidth = 6.6
/** The width of a chart that labels must fit in. */
const widthAssumed = 560
/** How many characters of a label are shown. */
const labelMax = 22

export const share = (value: number): string => `${Number((value * 100).toFixed(3))}%`

export const cut = (label: string, max = labelMax): string => {
  const signs = Array.from(label.slice(0, 200).replaceAll(/\s+/g, ' '))
  return signs.length <= max
    ? signs.join('')
    : `${signs
        .slice(0, max - 1)
        .join('')
        .trimEnd()}\u2026`
}

const widthOf = (label: string): number => Math.ceil(label.length * characterWidth)

export const widest = (labels: string[]): number => labels.reduce((width, label) => Math.max(width, widthOf(label)), 0)

/** Whether labels of these widths have room next to each other. */
export const areFitting = (labels: string[]): boolean => labels.length * (widest(labels) + 12) <= widthAssumed

export function frame(data: ChartData, plot: Drawn[]): DrawnElement {
  const { title, series } = data
  const legend = draw(
    'ul',
    { class: 'ry-legend' },
    series.map(({ name, color }) => draw('li', { class: `ry-${color}` }, [draw('i'), cut(name, 40)])),
  )
  const head = title === '' ? [] : [draw('figcaption', {}, [title])]
  const figure = draw('figure', { class: 'ry-chart' }, [...head, ...(series.length > 1 ? [legend] : []), ...plot])
  return { ...figure, shows: { table: data.table } }
}

export const emptyFrame = (title: string, text: string): DrawnElement =>
  draw('figure', { class: 'ry-chart' }, [
    ...(title === '' ? [] : [draw('figcaption', {}, [title])]),
    draw('div', { class: 'ry-empty' }, [text]),
  ])

/** The drawing itself: labels stand in its margins. */
export const plotArea = (height: number, left: number, right: number, label: string, children: Drawn[]): DrawnElement =>
  draw(
    'svg',
    {
      class: 'ry-plot',
      role: 'img',
      'aria-label': label,
      width: '100%',
      height,
      style: `margin-left:${left}px;width:calc(100% - ${left + right}px)`,
    },
    children,
  )

export const tickTexts = ({ ticks }: Scale, { kind, unit }: ChartData): string[] =>
  ticks.map((tick) => `${shownNumber(tick, kind, true)}${unit === '' || kind !== 'number' ? '' : ` ${cut(unit, 8)}`}`)

/** Lines across, with their values at the left. */
export function valueAxis(scale: Scale, data: ChartData): { left: number; drawn: Drawn[] } {
  const texts = tickTexts(scale, data)
  const drawn = scale.ticks.flatMap((tick, index) => {
    const y = share(1 - shareOf(scale, tick))
    return [
      draw('line', { class: tick === 0 ? 'ry-zero' : 'ry-grid', x1: 0, x2: '100%', y1: y, y2: y }),
      draw('text', { class: 'ry-y', x: -8, y, dy: '0.32em' }, [texts[index]!]),
    ]
  })
  return { left: widest(texts) + 14, drawn }
}

/** The widths of a chart from which more labels are shown (pageStyle.ts), each a little above what the drawing itself has. */
const widths = [640, 400, 240]

/** The labels below the points at these shares of the width: as many as have room, which depends on how wide the page is shown. */
export function pointAxis(labels: string[], centers: number[]): Drawn[] {
  const shown = labels.map((label) => cut(label, 14))
  const gap = centers.length > 1 ? (centers.at(-1)! - centers[0]!) / (centers.length - 1) : 1
  let every = 1
  const steps = widths.map((width) => {
    const needed = Math.max(1, Math.ceil((widest(shown) + 14) / width / gap))
    // each width shows some of the labels of the wider one
    every *= Math.ceil(needed / every)
    return every
  })
  return shown.flatMap((label, index) => {
    const level = steps.findLastIndex((step) => index % step === 0)
    if (level === -1) return []
    const place = { class: `ry-x ry-fit${level}`, x: share(centers[index]!), y: '100%', dy: 18 }
    return [draw('text', place, [label, ...fullName(label, labels[index]!)])]
  })
}

/** The whole of a label that was cut. */
export const fullName = (shown: string, whole: string): Drawn[] => (shown === whole ? [] : [draw('title', {}, [whole])])
