// What is known of a run while it is replayed; all of it can be made again from the recording and the turns that are stored.
import type { Conversation } from '../../../drivers/model/model.ts'
import type { Limits } from '../../../engine/builds/buildConfig.ts'
import type { View } from '../../../engine/driving/modelView.ts'
import type { Logged } from '../../../engine/ledger/history.ts'
import type { WrittenMessage } from '../../../kit/endCheck.ts'
import type { RecordedCall, RecordedMore, RecordedWords } from '../recording.ts'
import type { OpenReplay } from './openReplay.ts'
import type { RecordedAnswers } from './recordedAnswers.ts'
import type { Finding, ReplayedCall } from './report.ts'

export interface Replaying extends OpenReplay {
  answers: RecordedAnswers
  findings: Finding[]
  calls: ReplayedCall[]
  /** The recorded calls that answered those which differ only in ids and times. */
  alike: Map<ReplayedCall, RecordedCall>
  /** What people said in the recorded run and the replay has not come to yet. */
  words: RecordedWords[]
  /** What people answered in the recorded run when it asked for more, and the replay has not come to yet. */
  more: RecordedMore[]
  /** The limits of the build, and what people gave it more. */
  limits: Limits
  /** A replay makes no call and asks nobody, so the guardrails of the team have nothing to judge. */
  rules: undefined
  log: Logged[]
  view: View
  messages: WrittenMessage[]
  turn: number
  step: number
  unmatched: number
  misfits: number
  usage: { steps: number; input_tokens: number; output_tokens: number; cost_usd: string }
  modelMs: number
  /** About how much memory its log takes. */
  heldBytes: number
  /** Only a pure model has one: it keeps what it needs. */
  conversation: Conversation | undefined
}

/** How a replayed run ends. */
export type ReplayEnd =
  | { status: 'completed'; output: unknown }
  | { status: 'failed'; error: { code: string; message: string } }
