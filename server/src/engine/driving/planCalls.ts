// A turn's calls before anything happens: which are refused, which a person must approve first, which our own database does, which go outside.
import { storable } from '../../base/storable.ts'
import { checkAgainst, keysTo } from '../../base/jsonSchema/jsonSchema.ts'
import { brief } from '../../kit/json.ts'
import { misfitsOf } from '../../kit/misfits.ts'
import { joinProblems } from '../../kit/problems.ts'
import { Type } from '../../kit/schema.ts'
import type { Tool } from '../../kit/tool.ts'
import { validatorOf } from '../../kit/validate.ts'
import type { WantedCall } from '../../drivers/model/model.ts'
import type { CallKind, CallStep } from '../ledger/change.ts'
import { leavingOf, stopToAsk, stopToRefuse, type Stop } from '../guardrails/judge.ts'
import type { HeldRun } from './heldRun.ts'
import { isOfProcedure, markProblem } from './hiddenValues.ts'

export type Plan =
  /** `stop`: the guardrails of the team refuse it. */
  | { way: 'refused'; step: CallStep; error: string; stop?: Stop }
  /** `stop`: the guardrails of the team ask, and the build alone would not. */
  | { way: 'approval'; step: CallStep; tool: Tool; stop?: Stop }
  | { way: 'inside' | 'outside' | 'waiting'; step: CallStep; tool: Tool }

/** What planning a call needs of a run. Without rules no guardrail is asked: a replay makes no call that one could stop. */
type Planning = Pick<HeldRun, 'toolRegistry' | 'build' | 'resolver' | 'sets' | 'turn' | 'rules' | 'context'> & {
  model: Pick<HeldRun['model'], 'isPure'>
}

export function planCall(held: Planning, wanted: WantedCall, seq: number): Plan {
  const { toolRegistry, build, resolver, sets } = held
  const resolved = resolver.resolve(wanted)
  const name = 'error' in resolved ? wanted.name : resolved.name
  const tool = toolRegistry.find(name)
  const args: unknown = storable('error' in resolved ? wanted.arguments : resolved.arguments)
  const step = newStep(held, seq, tool, name, args)
  const refuse = (error: string): Plan => ({ way: 'refused', step, error })
  if ('error' in resolved) return refuse(resolved.error)
  const set = toolRegistry.setOf(name)
  if (!tool || set === undefined) return refuse(`There is no tool named ${brief(name)}.`)
  if (!sets.includes(set))
    return refuse(`This agent may not use ${name}: its build does not switch on the plugin ${set}.`)
  const misfit = misfitOf(tool, args)
  if (misfit) return refuse(misfit)
  const marked = markProblem(tool, args, {
    isOfProcedure: isOfProcedure(wanted, held.model.isPure),
    given: build.given,
  })
  if (marked) return refuse(marked)
  const { rules, context } = held
  const forbidden = rules && stopToRefuse(rules, leavingOf(tool, args, context))
  if (forbidden) return { way: 'refused', step, error: forbidden.says, stop: forbidden }
  const isAsked = approvalReason(tool) !== undefined || build.needsApproval(name, args)
  const stop = stopToAsk(rules, tool, args, isAsked)
  if (isAsked || stop) return { way: 'approval', step: { ...step, state: 'approval' }, tool, ...(stop && { stop }) }
  if (tool.kind === 'waiting') return { way: 'waiting', step: { ...step, state: 'waiting' }, tool }
  return { way: tool.kind, step, tool }
}

/** Why the tool itself asks for a person's approval; undefined: it does not. */
export const approvalReason = (tool: Tool): string | undefined =>
  tool.kind === 'outside' ? tool.needsApproval : undefined

/** A sentence that a model can act on, or undefined when the arguments fit. */
function misfitOf(tool: Tool, args: unknown): string | undefined {
  const isForeign = tool.kind === 'outside' && tool.isForeign === true
  const validator = validatorOf(isForeign ? anyArguments : tool.input)
  if (validator.Check(args)) return isForeign ? misfitOfForeign(tool, args) : undefined
  return `The arguments of ${tool.name} do not fit its schema: ${joinProblems(misfitsOf(validator, args, 'arguments'))}`
}

const anyArguments = Type.Object({})

/** Another server's schema is never compiled. If it cannot be used, nothing is checked here: that server checks its arguments itself. */
function misfitOfForeign(tool: Tool, args: unknown): string | undefined {
  const checked = checkAgainst(tool.input, args)
  if (!('misfit' in checked)) return undefined
  const place = keysTo(checked.misfit.place).map((key) => `/${key}`)
  const at = place.length > 0 ? ` at ${brief(place.join(''))}` : ''
  return `The arguments of ${tool.name} do not fit its schema${at}: ${brief(checked.misfit.message)}.`
}

const kindOf = (tool: Tool | undefined): CallKind => {
  if (tool?.kind !== 'waiting') return 'tool'
  return tool.waitsFor === 'time' ? 'wait' : tool.waitsFor === 'sub_run' ? 'sub_run' : 'human'
}

export function newStep(
  held: Pick<HeldRun, 'turn'>,
  seq: number,
  tool: Tool | undefined,
  name: string,
  args: unknown,
): CallStep {
  return {
    seq,
    turn: held.turn,
    kind: kindOf(tool),
    tool: name,
    arguments: args ?? null,
    state: 'intent',
    attempt: 1,
    result: null,
    error: null,
    input_tokens: null,
    output_tokens: null,
    cost_usd: null,
    reserved_usd: '0',
    unsettled: 0,
    started_at: new Date().toISOString(),
    completed_at: null,
  }
}
