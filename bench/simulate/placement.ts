// Teams on cells: how uneven the cells become, for teams of very different sizes that grow after they were placed.
import { exponential, pareto, seeded } from './random.ts'

export type Way = 'by hash' | 'the emptier of two' | 'the emptiest, then moved'

interface Options {
  teams: number
  cells: number
  way: Way
  seed: number
}

/** Assumed: how long the tail is. The smaller it is, the more of all work a few teams have. */
const tail = 1.3

interface Placed {
  /** The load of the fullest cell and that of the largest team, as multiples of the mean load of a cell. */
  fullest: number
  largest: number
  moved: number
}

export function placeTeams({ teams, cells, way, seed }: Options): Placed {
  const random = seeded(seed)
  const any = () => Math.floor(random() * cells)
  const load = new Float64Array(cells)
  const placed: { size: number; cell: number }[] = []
  for (let team = 0; team < teams; team++) {
    // what it is when it comes says little about what it becomes
    const size = pareto(random, tail)
    const cell = way === 'by hash' ? any() : way === 'the emptier of two' ? emptier(load, any(), any()) : emptiest(load)
    placed.push({ size, cell })
    load[cell]! += size
  }
  for (const team of placed) {
    const grown = team.size * exponential(random, 1)
    load[team.cell]! += grown - team.size
    team.size = grown
  }
  const moved = way === 'the emptiest, then moved' ? moveTeams(placed, load) : 0
  const mean = load.reduce((sum, one) => sum + one, 0) / cells
  const largest = placed.reduce((most, { size }) => Math.max(most, size), 0)
  return { fullest: Math.max(...load) / mean, largest: largest / mean, moved }
}

const emptier = (load: Float64Array, one: number, other: number): number => (load[one]! <= load[other]! ? one : other)

const emptiest = (load: Float64Array): number => load.indexOf(Math.min(...load))

/** From the fullest cell to the emptiest, the team that evens them out best, until the fullest has 5 % more than the mean or nothing helps. */
function moveTeams(placed: { size: number; cell: number }[], load: Float64Array): number {
  const mean = load.reduce((sum, one) => sum + one, 0) / load.length
  for (let moved = 0; ; moved++) {
    const from = load.indexOf(Math.max(...load))
    const to = emptiest(load)
    if (load[from]! <= mean * 1.05 || moved >= 1000) return moved
    const wanted = (load[from]! - load[to]!) / 2
    let best: { size: number; cell: number } | undefined
    for (const team of placed) {
      if (team.cell !== from || team.size >= load[from]! - load[to]!) continue
      if (!best || Math.abs(team.size - wanted) < Math.abs(best.size - wanted)) best = team
    }
    if (!best) return moved
    best.cell = to
    load[from]! -= best.size
    load[to]! += best.size
  }
}
