// Whether a person must approve a call first, by the policy that the build gives its tool.
import { StepBudget } from '../../base/stepBudget.ts'
import { evaluate, isTrue } from '../../drivers/model/runbook/evaluate.ts'
import { parseExpression } from '../../drivers/model/runbook/expression.ts'
import { stepsOfTurn } from '../../drivers/model/runbook/text.ts'
import type { Approval } from './buildConfig.ts'

/** What an expression of a policy may read: the call's own arguments, nothing else. */
export const approvalRoots = ['arguments']

/** `{when}` reads the call's arguments as `arguments`. An expression that fails counts as yes: better one question too many. */
export function needsApproval(policy: Approval | undefined, args: unknown): boolean {
  if (policy === undefined || policy === 'never') return false
  if (policy === 'always') return true
  const scope = {
    budget: new StepBudget(stepsOfTurn),
    arguments: args,
    message: null,
    case: null,
    run: null,
    steps: new Map(),
    answers: new Map(),
    memory: new Map(),
  }
  try {
    return isTrue(evaluate(parseExpression(policy.when, approvalRoots), scope))
  } catch {
    return true
  }
}
