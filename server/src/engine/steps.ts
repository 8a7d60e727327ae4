// The executable blocks of a procedure, offered to a model as one tool: run as they are written, never edited by it.
import type { Entry, ModelTool, WantedCall } from '../drivers/model/model.ts'

export interface StepResolver {
  /** `run_step`, where the procedure has blocks and a model that decides. */
  tools: ModelTool[]
  /** Sets of tools that the procedure's own blocks imply. */
  sets: string[]
  /** Fed with everything that happens, for the values that blocks read. */
  add(entry: Entry): void
  /** Turns a call of `run_step` into the call that the block stands for; any other call stays as it is. */
  resolve(call: WantedCall): { name: string; arguments: unknown } | { error: string }
}
