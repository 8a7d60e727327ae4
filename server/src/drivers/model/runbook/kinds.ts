// The kinds of blocks: what each does, the options it takes, and how it is read.
import { dataAlone } from '../../../base/page/pageExpressions.ts'
import type { Roots } from '../../../base/expression/expression.ts'
import { onErrorValues, type BlockAction, type BlockKind, type Draft } from './block.ts'
import { browserBlock, browserUsage } from './blocks/browser.ts'
import { caseBlock, caseUsage, waitBlock } from './blocks/cases.ts'
import { codeBlock } from './blocks/code.ts'
import { htmlBlock } from './blocks/html.ts'
import { httpBlock, httpUsage } from './blocks/http.ts'
import { approveBlock, askBlock } from './blocks/people.ts'
import { agentBlock, outputBlock, toolBlock, writeBlock } from './blocks/texts.ts'

interface Option {
  /** What it means, in a sentence. */
  says: string
  /** The values it can have; absent: any that its reader takes. */
  values?: readonly string[]
  /** It may hold {{ }}, or is an expression itself. */
  mayHoldValues?: true
}

interface Kind {
  /** What it does, in a sentence. */
  says: string
  options: Readonly<Record<string, Option>>
  /** The words with which a line of it begins, where they are known, each as it is written. */
  usage?: Readonly<Record<string, string>>
  /** What values in its text begin with, where that differs from other blocks. */
  ownRoots?: Roots
  read: (draft: Draft) => BlockAction
}

const named = {
  id: { says: 'The name of the step for later steps; step_1, step_2 … by position unless given.' },
  if: { says: 'The step is skipped unless this expression is true. No braces around it.', mayHoldValues: true },
} as const satisfies Kind['options']

const ofAll = {
  ...named,
  on_error: {
    says: 'What happens when the step still fails: the run fails, continues, or asks a person. It fails unless given.',
    values: onErrorValues,
  },
  retry: { says: 'How often a failed call is made again, from 0 to 10.' },
} as const satisfies Kind['options']

const code = { ...ofAll, timeout: { says: 'How long the command may take: 30s, 5m, 1h.' } }
const path = (says: string): Option => ({ says, mayHoldValues: true })
const timeout = { says: 'How long the question stays open: 30m, 2h, 3d.' }
const onTimeout = (values: string[]): Option => ({
  says: 'What counts as the answer when nobody gave one in time. Needs timeout=.',
  values,
})

export const kinds: Readonly<Record<BlockKind, Kind>> = {
  agent: {
    says: 'Starts a run of another agent with this message, and waits for its end.',
    options: { ...ofAll, name: { says: 'The agent to start: its name or id, from subAgents of the build.' } },
    read: agentBlock,
  },
  approve: {
    says: 'Asks a person to approve what its first line says. A no ends the run.',
    options: { ...ofAll, timeout, on_timeout: onTimeout(['fail', 'approve', 'reject', 'continue']) },
    read: approveBlock,
  },
  ask: {
    says: 'Asks a person a question: with options to choose from, a form, or for an answer in words.',
    options: {
      ...ofAll,
      timeout,
      on_timeout: onTimeout(['fail', 'continue']),
      header: { says: 'A short label of the question.' },
      multi: { says: 'Whether several options may be chosen.', values: ['true', 'false'] },
    },
    read: askBlock,
  },
  bash: { says: 'Runs a shell script in the run’s sandbox.', options: code, read: codeBlock('bash') },
  browser: {
    says: 'Uses a web page in a browser, one action a line.',
    options: ofAll,
    usage: browserUsage,
    read: browserBlock,
  },
  case: {
    says: 'Ends the work on the run’s case (complete, fail, postpone), or creates a new case.',
    options: {
      ...ofAll,
      queue: { says: 'For create: the queue of the new case, by name or id.' },
      title: { says: 'For create: the title of the new case.', mayHoldValues: true },
    },
    usage: caseUsage,
    read: caseBlock,
  },
  file: {
    says: 'Writes a file of the run’s workspace.',
    options: { ...ofAll, path: path('Where the file is written, in the workspace.') },
    read: writeBlock('sandbox_write_file'),
  },
  html: {
    says: 'Shows a page made from the results of earlier steps, for the procedure of an artifact.',
    options: named,
    ownRoots: dataAlone().roots,
    read: htmlBlock,
  },
  http: {
    says: 'Sends an HTTP request: METHOD URL, headers, an empty line, a body.',
    options: { ...ofAll, connection: { says: 'A connection whose credential is added to the request.' } },
    usage: httpUsage,
    read: httpBlock,
  },
  js: { says: 'Runs JavaScript in the run’s sandbox.', options: code, read: codeBlock('js') },
  memory: {
    says: 'Writes a file of the agent’s memory, which later runs can read.',
    options: { ...ofAll, path: path('Where the file is written, in the memory.') },
    read: writeBlock('memory_write'),
  },
  output: { says: 'Gives the output of the run, and ends it.', options: named, read: outputBlock },
  python: { says: 'Runs Python in the run’s sandbox.', options: code, read: codeBlock('python') },
  tool: {
    says: 'Calls any tool by its name, with arguments as a JSON object.',
    options: { ...ofAll, name: { says: 'The tool to call.' } },
    read: toolBlock,
  },
  wait: {
    says: 'Rests for a duration or until a time. The run holds no slot while it waits.',
    options: ofAll,
    read: waitBlock,
  },
}
