// Whether a person must approve a call first, by the policy that the build gives its tool.
import { StepBudget } from '../../base/stepBudget.ts'
import { evaluate, isTrue, valueAt, type Scope } from '../../base/expression/evaluate.ts'
import { parseExpression, type Roots } from '../../base/expression/expression.ts'
import { stepsOfTurn } from '../../base/expression/text.ts'
import type { Approval } from './buildConfig.ts'

/** What an expression of a policy may read: the call's own arguments, nothing else. */
export const approvalRoots: Roots = { arguments: {} }

/** `{when}` reads the call's arguments as `arguments`. An expression that fails counts as yes: better one question too many. */
export function needsApproval(policy: Approval | undefined, args: unknown): boolean {
  if (policy === undefined || policy === 'never') return false
  if (policy === 'always') return true
  const scope: Scope = { budget: new StepBudget(stepsOfTurn), read: (_root, keys) => valueAt(args, keys) }
  try {
    return isTrue(evaluate(parseExpression(policy.when, approvalRoots), scope))
  } catch {
    return true
  }
}
