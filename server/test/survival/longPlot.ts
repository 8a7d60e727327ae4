// A small plot of how many tokens the request of each turn had, one line for each model.
import type { LongModel } from './longModels.ts'

const [width, height, left, top, bottom] = [720, 260, 52, 26, 34]
/** Readable on white and on black. */
const colours = ['#2f7fd0', '#c2622d', '#3f9a5f', '#9a5fc0']
/** A point for so many turns: the largest of them, so that no peak is lost. */
const pointsMax = 400

export function plotOf(models: LongModel[], window: number): string {
  const turns = Math.max(...models.map(({ tokens }) => tokens.length - 1))
  const x = (turn: number): number => Math.round((left + (turn / turns) * (width - left - 10)) * 10) / 10
  const y = (tokens: number): number =>
    Math.round((height - bottom - (tokens / window) * (height - top - bottom)) * 10) / 10
  const lines = models.map(({ name, tokens }, index) => {
    const every = Math.max(1, Math.ceil(turns / pointsMax))
    const points = Array.from({ length: Math.ceil(turns / every) }, (_, at) => {
      const part = tokens.slice(at * every + 1, (at + 1) * every + 1).filter((one) => one > 0)
      return part.length === 0 ? '' : `${x(at * every + 1)},${y(Math.max(...part))}`
    })
    const colour = colours[index % colours.length]
    return (
      `<polyline fill="none" stroke="${colour}" stroke-width="1" points="${points.filter((point) => point !== '').join(' ')}"/>` +
      `<text x="${left + 8 + index * 165}" y="16" fill="${colour}">${name}</text>`
    )
  })
  const level = (tokens: number, says: string): string =>
    `<line x1="${left}" x2="${width - 10}" y1="${y(tokens)}" y2="${y(tokens)}" stroke="#888" stroke-dasharray="4 3"/>` +
    `<text x="${left - 6}" y="${y(tokens) + 4}" text-anchor="end">${says}</text>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Tokens of the request of each turn" ` +
    `font-family="sans-serif" font-size="11" fill="#888">\n` +
    `${[level(0, '0'), level(window * 0.75, '75 %'), level(window, `${Math.round(window / 1024)}k`), ...lines].join('\n')}\n` +
    `<text x="${left}" y="${height - 12}">turn 1</text><text x="${width - 10}" y="${height - 12}" text-anchor="end">turn ${turns}</text>\n` +
    `</svg>\n`
  )
}
