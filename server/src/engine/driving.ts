// What a worker knows of a run while it holds it; all of it can be rebuilt from the log, so losing it loses nothing.
import type { Conversation } from '../drivers/model/model.ts'
import type { Begun, ToolCall } from '../kit/tool.ts'
import type { Step } from './change.ts'
import type { Held } from './claim.ts'
import type { LoadedBuild } from './loadBuild.ts'

export interface Driving {
  run: Held
  build: LoadedBuild
  conversation: Conversation
  /** The model's last turn. */
  turn: number
  /** The number of the last step. */
  step: number
  /** Steps without an outcome. */
  open: Step[]
  /** As last read: letting go needs that it has not moved. */
  wakeSeen: number
  /** As last told by the database. */
  wakeSeq: number
  /** Up to here the messages of people were read. */
  messageSeen: number
  usage: { steps: number; input_tokens: number; output_tokens: number; cost_usd: string }
  /** How often the output did not fit its schema. */
  misfits: number
  /** About how much the model reads: the input of its next turn, for the worst case of its cost. */
  promptBytes: number
  /** What the model called the calls that have no result yet, by their id. */
  callNames: Map<string, string>
  /** Aborted when the run was stopped, taken over or ran out of its time. */
  signal: AbortSignal
}

/** Another process may hold the run now, or it was stopped: nothing more may be written or done for it. */
export class Fenced extends Error {
  constructor() {
    super('the run is no longer held by this process')
  }
}

/** A limit of the run is reached; the reason with which its work is cut off and it fails. */
export class LimitReached extends Error {}

/** The process stops: the run is given back between two steps, for another one to go on with. */
export class Yielded extends Error {}

export const callIdOf = (runId: string, step: number): string => `${runId}:${step}`

export function toolCallOf<Input>({ run }: Driving, step: Step): ToolCall<Input> {
  const { id, team_id, agent_id, build_id, user_id, case_id, depth } = run
  return {
    id: callIdOf(run.id, step.seq),
    step: step.seq,
    run: { id, team_id, agent_id, build_id, user_id, case_id, depth },
    input: step.arguments as Input,
  }
}

/** While a step waits, its row keeps what it waits for where its result will be. */
export const waitingOnOf = (step: Step): Begun['waiting_on'] =>
  (step.result as { waiting_on: Begun['waiting_on'] }).waiting_on
