// A step in a few words: what it is, how often it is tried, and what happens when a worker dies during it.
import type { ProcedureStep } from '@runyard/sdk'

type Step = ProcedureStep

/** `http · GET, 2 retries` */
export function stepWords(step: Step, lines: readonly string[]): string {
  const { kind, tool, retry, is_conditional, on_error } = step
  const facts = [
    kind === 'http' ? methodOf(step, lines) : undefined,
    kind === 'tool' && tool !== null ? tool : undefined,
    retry > 0 ? `${retry} ${retry === 1 ? 'retry' : 'retries'}` : undefined,
    is_conditional ? 'only if' : undefined,
    on_error === 'continue' ? 'continues after an error' : on_error === 'ask' ? 'asks after an error' : undefined,
  ].filter((fact) => fact !== undefined)
  return facts.length === 0 ? kind : `${kind} · ${facts.join(', ')}`
}

function methodOf({ line }: Step, lines: readonly string[]): string | undefined {
  const head = lines.slice(line, line + 20).find((text) => text.trim() !== '')
  return /^\s*([A-Z]+)\s/.exec(head ?? '')?.[1]
}

interface AfterCrash {
  word: string
  says: string
  asks: boolean
}

const words: Record<NonNullable<Step['after_crash']>, AfterCrash> = {
  kept: { word: 'Exact', says: 'It happens once: its effect and its result are written together.', asks: false },
  repeated: {
    word: 'Made again',
    says: 'If nobody knows its outcome, it is made again: that does no harm.',
    asks: false,
  },
  asks: {
    word: 'Asks a person',
    says: 'If nobody knows its outcome, a person decides whether it is made again.',
    asks: true,
  },
}

/** Undefined: the server cannot say before a run. */
export const afterCrash = ({ after_crash }: Step): AfterCrash | undefined =>
  after_crash === null ? undefined : words[after_crash]
