// Keeps count of what was sent and what came of it, and of everything that was wrong.
export interface Row {
  sent: number
  done: number
  refused: number
}

export interface Ledger {
  rows: Map<string, Row>
  /** What was wrong, each kind with the operations it was seen on and its first example. */
  problems: Map<string, { count: number; operations: Set<string>; example: string }>
  count(operation: string, status: number): void
  complain(operation: string, problem: string, example: string): void
}

export function createLedger(operations: string[]): Ledger {
  const rows = new Map(operations.map((id): [string, Row] => [id, { sent: 0, done: 0, refused: 0 }]))
  const problems: Ledger['problems'] = new Map()
  return {
    rows,
    problems,
    count(operation, status) {
      const row = rows.get(operation)!
      row.sent += 1
      if (status < 300) row.done += 1
      else row.refused += 1
    },
    complain(operation, problem, example) {
      const known = problems.get(problem) ?? { count: 0, operations: new Set(), example }
      known.count += 1
      known.operations.add(operation)
      problems.set(problem, known)
    },
  }
}

export const sumOf = ({ rows }: Ledger): Row => {
  const sum = { sent: 0, done: 0, refused: 0 }
  for (const { sent, done, refused } of rows.values()) {
    sum.sent += sent
    sum.done += done
    sum.refused += refused
  }
  return sum
}

const line = (name: string, ...cells: (string | number)[]): string =>
  name.padEnd(32) + cells.map((cell) => String(cell).padStart(9)).join('')

/** The table that is printed: a line for each operation, the sum below. */
export function tableOf(ledger: Ledger): string[] {
  const { sent, done, refused } = sumOf(ledger)
  return [
    line('operation', 'sent', '2xx', 'refused'),
    ...[...ledger.rows].map(([name, row]) => line(name, row.sent, row.done, row.refused)),
    line('all', sent, done, refused),
  ]
}

/** One paragraph for each kind of problem. */
export const problemsOf = ({ problems }: Ledger): string[] =>
  [...problems].map(
    ([problem, { count, operations, example }]) =>
      `${count} × ${problem} (${[...operations].join(', ')})\n    ${example.slice(0, 900)}`,
  )
