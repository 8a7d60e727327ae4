// npm run simulate: how far one PostgreSQL carries, and how many cells more work needs, simulated from measured figures. Writes docs/scale.
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { median } from '../interleave.ts'
import { printSheet, type Sheet } from '../table.ts'
import { ceilingOf, simulateCell, type Cell } from './cell.ts'
import { coresWorth, flushUs, inside3, outside3, standbyUs, type Kind } from './measured.ts'
import { placeTeams, type Way } from './placement.ts'
import { plotOf, type Line } from './plot.ts'

const folder = fileURLToPath(new URL('../../docs/scale/', import.meta.url))
const seed = 7
const runs = 20_000

/** With as many Node processes as the work needs beside these cores, so that PostgreSQL is what ends first. */
const cellOf = (postgresCores: number, { nodeUs, postgresUs }: Kind, hasStandby: boolean): Cell => ({
  postgresCores,
  nodeProcesses: Math.ceil((coresWorth(postgresCores) * nodeUs) / postgresUs / 0.8),
  flushUs: flushUs + (hasStandby ? standbyUs : 0),
})

const number = (value: number, digits = 0): string =>
  value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
const percent = (share: number): string => `${Math.round(share * 100)} %`

/** One core and exponential times have a formula: the simulation must agree with it. */
function checked(): Sheet {
  const kind: Kind = { name: 'check', postgresUs: 1000, nodeUs: 0, walBytes: 0, writes: 1 }
  return {
    title: 'The model against the formula of a waiting line with one server (mean time in ms)',
    columns: ['load', 'simulated', 'formula'],
    lines: [0.3, 0.5, 0.7, 0.9].map((load) => {
      const cell = { postgresCores: 1, nodeProcesses: 1, flushUs: 0 }
      const seen = simulateCell({ cell, kind, perSecond: load * 1000, runs: 400_000, seed })
      return [percent(load), number(seen.meanMs, 2), number(1 / (1 - load), 2)]
    }),
  }
}

const loads = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
const sizes = [2, 4, 8, 16, 32]

function oneCell(kind: Kind): { sheet: Sheet; svg: string } {
  const lines: Line[] = []
  const cells: string[][] = []
  for (const cores of sizes) {
    const cell = cellOf(cores, kind, true)
    const ceiling = ceilingOf(cell, kind)
    const seen = loads.map((load) => ({ load, ...simulateCell({ cell, kind, perSecond: load * ceiling, runs, seed }) }))
    lines.push({ name: `${cores} cores`, points: seen.map(({ load, p99Ms }) => [load, p99Ms]) })
    const at = seen.find(({ load }) => load === 0.7)!
    cells.push([
      String(cores),
      String(cell.nodeProcesses),
      number(ceiling),
      number(0.7 * ceiling),
      number(at.p50Ms, 1),
      number(at.p99Ms, 1),
      number(at.commitsInFlush, 1),
      number((0.7 * ceiling * kind.walBytes) / 1e6, 1),
    ])
  }
  return {
    sheet: {
      title: `One cell with a synchronous standby, ${kind.name}: at 70 % of its ceiling`,
      columns: [
        'PostgreSQL cores',
        'Node processes',
        'ceiling, runs/s',
        '70 %, runs/s',
        'p50 ms',
        'p99 ms',
        'commits in a flush',
        'log MB/s',
      ],
      lines: cells,
    },
    svg: plotOf(
      `Time that the service adds to a run, ${kind.name}`,
      { says: 'load, as a part of what the cell could do at most', marks: [0, 0.2, 0.4, 0.6, 0.8, 1], show: percent },
      { says: 'p99 in ms', marks: [0, 10, 20, 30, 40, 50] },
      lines,
    ),
  }
}

const ways: Way[] = ['by hash', 'the emptier of two', 'the emptiest, then moved']
const cellCounts = [2, 4, 8, 16, 32, 64]

function manyCells(): { sheet: Sheet; svg: string } {
  const teams = 20_000
  const tries = 21
  const results = ways.map((way) =>
    cellCounts.map((cells) => {
      const seen = Array.from({ length: tries }, (_, index) => placeTeams({ teams, cells, way, seed: seed + index }))
      // one try with a team that is larger than a cell would move a mean
      const usual = (of: (one: (typeof seen)[number]) => number) => median(seen.map(of))
      return {
        cells,
        fullest: usual(({ fullest }) => fullest),
        moved: usual(({ moved }) => moved),
        largest: usual(({ largest }) => largest),
      }
    }),
  )
  return {
    sheet: {
      title: `${number(teams)} teams of very different sizes: the fullest cell, as a multiple of the mean (median of ${tries} tries)`,
      columns: ['cells', ...ways, 'teams moved', 'the largest team alone'],
      lines: cellCounts.map((cells, index) => [
        String(cells),
        ...results.map((line) => number(line[index]!.fullest, 2)),
        number(results[2]![index]!.moved),
        number(results[2]![index]!.largest, 2),
      ]),
    },
    svg: plotOf(
      'The fullest cell by the way in which teams are placed',
      { says: 'cells', marks: cellCounts, isLog: true },
      { says: 'of the mean', marks: [1, 2, 3, 4, 5, 6], show: (value) => `${value}×` },
      results.map((line, index) => ({
        name: ways[index]!,
        points: line.map(({ cells, fullest }) => [cells, fullest]),
      })),
    ),
  }
}

/** Daytime has three times the mean; cells are loaded to 60 % then, so that one that is fuller than the others still answers. */
const peak = 3
const loadAtPeak = 0.6
const cellCores = 16

function byTheDay(): Sheet {
  return {
    title: `Runs a day, half of three inside and half of three outside steps; peak ${peak}×, cells of ${cellCores} PostgreSQL cores at ${percent(loadAtPeak)}`,
    columns: ['runs a day', 'runs/s at peak', 'PostgreSQL cores', 'Node processes', 'cells', 'log GB a day'],
    lines: [1e6, 1e7, 1e8, 1e9, 1e10].map((day) => {
      const perSecond = (day / 86_400) * peak
      const [postgresUs, nodeUs, walBytes] = (['postgresUs', 'nodeUs', 'walBytes'] as const).map(
        (of) => (inside3[of] + outside3[of]) / 2,
      ) as [number, number, number]
      const oneDoes = (coresWorth(cellCores) / postgresUs) * 1e6 * loadAtPeak
      const cells = perSecond / oneDoes
      return [
        number(day),
        number(perSecond),
        cells < 1
          ? number(Math.max(2, Math.ceil((perSecond * postgresUs) / 1e6 / loadAtPeak)))
          : number(Math.ceil(cells) * cellCores),
        number(Math.max(2, Math.ceil((perSecond * nodeUs) / 1e6 / loadAtPeak))),
        number(Math.ceil(cells)),
        number((day * walBytes) / 1e9),
      ]
    }),
  }
}

await mkdir(folder, { recursive: true })
const [inside, outside, placed] = [oneCell(inside3), oneCell(outside3), manyCells()]
await writeFile(`${folder}cell-inside.svg`, inside.svg)
await writeFile(`${folder}cell-outside.svg`, outside.svg)
await writeFile(`${folder}placement.svg`, placed.svg)
const sheets = [inside.sheet, outside.sheet, byTheDay(), placed.sheet, checked()]
const text = sheets.map((sheet) => printSheet({ ...sheet, title: `## ${sheet.title}` })).join('\n\n')
await writeFile(
  `${folder}figures.md`,
  `# Simulated figures\n\nWritten by \`npm run simulate\`; [scale.md](../scale.md) explains them.\n\n${text}\n`,
)
console.log(text)
