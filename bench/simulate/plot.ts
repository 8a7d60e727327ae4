// A small plot of lines as SVG, readable on white and on black.

const [width, height, left, right, top, bottom] = [720, 300, 56, 14, 30, 44]
const colours = ['#2f7fd0', '#c2622d', '#3f9a5f', '#9a5fc0', '#b08a1e']

export interface Line {
  name: string
  points: [x: number, y: number][]
}

export interface Axis {
  says: string
  marks: number[]
  /** Distances are those of the logarithms. */
  isLog?: true
  show?: (value: number) => string
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export function plotOf(title: string, x: Axis, y: Axis, lines: Line[]): string {
  const at = ({ marks, isLog }: Axis, from: number, to: number) => {
    const on = (value: number) => (isLog ? Math.log10(value) : value)
    const [least, most] = [on(marks[0]!), on(marks.at(-1)!)]
    return (value: number) => Math.round((from + ((on(value) - least) / (most - least)) * (to - from)) * 10) / 10
  }
  const across = at(x, left, width - right)
  const up = at(y, height - bottom, top)
  const show = ({ show: own = (value: number) => value.toLocaleString('en') }: Axis) => own
  const parts = [
    ...y.marks.map(
      (mark) =>
        `<line x1="${left}" x2="${width - right}" y1="${up(mark)}" y2="${up(mark)}" stroke="#888" stroke-opacity="0.35"/>` +
        `<text x="${left - 6}" y="${up(mark) + 4}" text-anchor="end">${show(y)(mark)}</text>`,
    ),
    ...x.marks.map(
      (mark) => `<text x="${across(mark)}" y="${height - bottom + 16}" text-anchor="middle">${show(x)(mark)}</text>`,
    ),
    ...lines.map(({ name, points }, index) => {
      const colour = colours[index % colours.length]
      const most = y.marks.at(-1)!
      const drawn = points.filter(([, value]) => value <= most).map(([a, b]) => `${across(a)},${up(b)}`)
      return (
        `<polyline fill="none" stroke="${colour}" stroke-width="1.6" points="${drawn.join(' ')}"/>` +
        `<text x="${left + 6 + index * ((width - left) / lines.length)}" y="18" fill="${colour}">${escaped(name)}</text>`
      )
    }),
    `<text x="${(left + width) / 2}" y="${height - 10}" text-anchor="middle">${escaped(x.says)}</text>`,
    `<text transform="translate(12 ${(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(y.says)}</text>`,
  ]
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}" ` +
    `font-family="sans-serif" font-size="11" fill="#888">\n${parts.join('\n')}\n</svg>\n`
  )
}
