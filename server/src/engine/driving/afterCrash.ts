// What would become of a step if the process that has its run died now, by the same rules by which it is then resolved.
import type { Context } from '../../kit/context.ts'
import type { OutsideTool, Tool } from '../../kit/tool.ts'
import { notBegun, type CallKind, type StepState } from '../ledger/change.ts'

export const crashOutcomes = ['never_again', 'made_again', 'checked_first', 'asks', 'waits'] as const
type CrashOutcome = (typeof crashOutcomes)[number]

/** What the tool says about a call of its own that was begun and has no outcome. */
export const onDoubtOf = (
  { onDoubt }: Pick<OutsideTool<never>, 'onDoubt'>,
  input: unknown,
  context: Context,
): 'retry' | 'probe' | 'ask' => (typeof onDoubt === 'function' ? onDoubt(input as never, context) : onDoubt)

const ofDoubt = { retry: 'made_again', probe: 'checked_first', ask: 'asks' } as const

interface AnyStep {
  kind: CallKind | 'model'
  state: StepState
  attempt: number
  arguments: unknown
}

/** `tool`: undefined where nobody knows it any more. Null: nobody can say. */
export function afterCrash(step: AnyStep, tool: Tool | undefined, context: Context): CrashOutcome | null {
  switch (step.state) {
    case 'done':
    case 'failed':
    case 'cut_off':
      return 'never_again'
    case 'in_doubt':
      return 'asks'
    case 'waiting':
    case 'approval':
      return 'waits'
    case 'intent':
      if (step.kind === 'model' || step.attempt === notBegun) return 'made_again'
      if (!tool) return null
      // the effect of any other call is written with its outcome: without the one there is not the other
      return tool.kind === 'outside' ? ofDoubt[onDoubtOf(tool, step.arguments, context)] : 'made_again'
    default:
      return step.state satisfies never
  }
}

export const callOutcomes = ['kept', 'repeated', 'asks'] as const
type CallOutcome = (typeof callOutcomes)[number]

/**
 * The same before there is a run: what a process leaves that dies during a call of this tool. `kept`: it happens once, because its effect
 * is written with its result, or because the tool finds out whether it happened. Null: the arguments are not known well enough yet.
 */
export function afterCrashInCall(tool: Tool, input: () => unknown, context: Context): CallOutcome | null {
  if (tool.kind !== 'outside') return 'kept'
  try {
    return ({ retry: 'repeated', probe: 'kept', ask: 'asks' } as const)[onDoubtOf(tool, input(), context)]
  } catch (error) {
    // a tool may read arguments that do not fit its schema only because nobody has filled them in
    if (error instanceof TypeError) return null
    throw error
  }
}
