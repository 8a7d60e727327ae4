// The table that a run ends with: what was measured, against what, and whether it reaches its target.

export interface Row {
  what: string
  ours: string
  floor: string
  ratio?: string
  /** Absent: printed to explain the row above, without a target of its own. */
  target?: string
  met?: boolean
}

/** A table of its own, of a bench whose figures need other columns. */
export interface Sheet {
  title: string
  columns: string[]
  lines: string[][]
}

const columns = ['what', 'ours', 'floor', 'ratio', 'target', 'met'] as const

export function printTable(rows: Row[]): string {
  const cells = rows.map((row) => [
    row.what,
    row.ours,
    row.floor,
    row.ratio ?? '',
    row.target ?? '',
    row.met === undefined ? '' : row.met ? 'yes' : 'no',
  ])
  return printLines([...columns], cells)
}

export const printSheet = ({ title, columns: head, lines }: Sheet): string => `${title}\n\n${printLines(head, lines)}`

function printLines(names: string[], cells: string[][]): string {
  const lines = [names, ...cells]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const print = (line: string[]) => `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  const [head, ...body] = lines.map(print)
  return [head, rule, ...body].join('\n')
}
