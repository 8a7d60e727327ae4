// bash, python and js: code for the run's sandbox.
import type { BlockAction, Draft } from '../block.ts'

export function codeBlock(language: 'bash' | 'python' | 'js'): (draft: Draft) => BlockAction {
  return (draft) => {
    if (draft.body.trim() === '')
      draft.tell(draft.line, `This ${language} block is empty. Write the code to run, or remove it.`)
    const code = draft.template(draft.body, draft.line + 1, language)
    const timeout = draft.timeoutS === undefined ? {} : { timeout_s: draft.timeoutS }
    return { tool: 'sandbox_exec', resolve: (fill) => ({ language, code: fill(code), ...timeout }) }
  }
}
