// The built-in model `builtin:runbook`: runs the executable blocks of a procedure, one call a turn, the same way every time.
import type { Entry, Model, Turn } from '../model.ts'
import type { Block } from './block.ts'
import { createRunbookState, type RunbookState } from './runbookState.ts'
import type { RunbookProblem } from './parse.ts'
import { parsedOnce } from './parsedRunbook.ts'

export const runbook: Model = {
  isPure: true,
  open({ procedure, facts }) {
    const { blocks, problems } = parsedOnce(procedure)
    const refusal = refusalOf(blocks, problems)
    const fold = createRunbookState(blocks, facts)
    return {
      add: (entry: Entry) => fold.add(entry),
      async next({ signal }) {
        signal.throwIfAborted()
        return refusal ?? turnOf(fold)
      },
    }
  },
}

const problemsTold = 5

function refusalOf(blocks: Block[], problems: RunbookProblem[]): Turn | undefined {
  if (problems.length > 0) {
    const told = problems.slice(0, problemsTold).map(({ line, message }) => `line ${line}: ${message}`)
    const more = problems.length > told.length ? ` And ${problems.length - told.length} more.` : ''
    return failed('invalid_procedure', `The procedure cannot be run as it is. ${told.join(' ')}${more}`)
  }
  if (blocks.length > 0) return undefined
  return failed(
    'model_required',
    'This procedure has no executable block, and no model is set that could follow its prose. Set models.agent.model of the ' +
      'build or RUNYARD_MODEL on the server to a model, or write a block, e.g. one that begins with ```output.',
  )
}

function turnOf(fold: RunbookState): Turn {
  const action = fold.next()
  if (action.kind === 'call') return { ...emptyTurn, calls: [action.call], ending: { kind: 'calls' } }
  if (action.kind === 'failed') return failed(action.code, action.message)
  return { ...emptyTurn, text: action.text, ending: { kind: 'done', output: action.output } }
}

const failed = (code: string, message: string): Turn => ({ ...emptyTurn, ending: { kind: 'failed', code, message } })

const emptyTurn = {
  text: null,
  thinking: null,
  calls: [],
  usage: { input_tokens: 0, output_tokens: 0 },
  opaque: null,
} satisfies Omit<Turn, 'ending'>
