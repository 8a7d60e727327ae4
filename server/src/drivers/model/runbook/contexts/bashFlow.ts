// Follows values through the variables of a bash script: arithmetic runs what it finds in a variable, and so do eval and its like.

interface Flow {
  /** The variable that gets them. */
  to: string
  holes: number[]
  /** Variables that it is made of. */
  from: string[]
}

export interface Flows {
  flows: Flow[]
  /** Arguments of commands that may be functions of the script. */
  calls: Flow[]
  functions: Set<string>
  /** Variables that are computed with or run. */
  sinks: Set<string>
  /** Values inside a substitution whose output is run. */
  run: number[]
  /** The script contains `declare -i` or `-n`, so an assignment can be a computation. */
  hasTypedVariables: boolean
}

export const newFlows = (): Flows => ({
  flows: [],
  calls: [],
  functions: new Set(),
  sinks: new Set(),
  run: [],
  hasTypedVariables: false,
})

/** All arguments of a script or function, `$1` as well as `$@`, as one variable. */
export const allArguments = '@'

const names = /[A-Za-z_]\w*|\$\{?[0-9@*]/g

/** The variables that a piece of arithmetic, or of an expansion, can read. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(names)].map(([name]) => (name.startsWith('$') ? allArguments : name))
}

/** What bash computes in an expansion `${…}`, or reads as the name of another variable. */
export function computedIn(expansion: string): string[] {
  if (expansion.startsWith('!')) return namesIn(expansion)
  const subscript = /\[([^\]]*)/.exec(expansion)?.[1] ?? ''
  const substring = /:(?![-=?+])(.*)/s.exec(expansion)?.[1] ?? ''
  return [...namesIn(subscript), ...namesIn(substring)]
}

const risky = /\(\(|\$\[|\$\{!|\b(?:let|eval|declare|typeset|local|unset|source)\b|\s-(?:c|eq|ne|lt|le|gt|ge|v)\b|\w\[/

/** The rest of a script that could not be followed. If it has anything risky, every variable it names may be run. */
export function noteUnread(flows: Flows, rest: string): void {
  if (risky.test(rest)) for (const name of namesIn(rest)) flows.sinks.add(name)
}

/** The holes whose values can reach a position where they would be run. */
export function holesThatRun({ flows, calls, functions, sinks, run, hasTypedVariables }: Flows): number[] {
  const byTarget = new Map<string, Flow[]>()
  const add = (to: string, flow: Flow): void => {
    const known = byTarget.get(to)
    if (known) known.push(flow)
    else byTarget.set(to, [flow])
  }
  for (const flow of flows) add(flow.to, flow)
  for (const flow of calls) if (functions.has(flow.to)) add(allArguments, flow)
  const holes = [...run]
  const open = [...sinks]
  const seen = new Set(open)
  const follow = (flow: Flow): void => {
    for (const hole of flow.holes) holes.push(hole)
    for (const name of flow.from) {
      if (seen.has(name)) continue
      seen.add(name)
      open.push(name)
    }
  }
  if (hasTypedVariables) flows.forEach(follow)
  for (let name = open.pop(); name !== undefined; name = open.pop()) byTarget.get(name)?.forEach(follow)
  return holes
}
