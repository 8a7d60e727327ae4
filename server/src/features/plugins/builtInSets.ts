// The built-in tool sets: the words that an agent's config may put under `plugins`.
import type { ToolSet } from '../../kit/feature.ts'

/** Each set lists the tools that this server can run; a set fills when the feature that brings its tools is there. */
const set = (name: string, title: string, description: string): ToolSet => ({
  name,
  title,
  description,
  tools: [],
  provider: null,
})

export const builtInSets: ToolSet[] = [
  set('sandbox', 'Sandbox', 'Run commands and keep files in a workspace of the run’s own.'),
  set('browser', 'Browser', 'Open pages, click, type and read, with a screenshot of every step.'),
  set('human', 'People', 'Ask a person: approvals, questions and forms; the run waits without costing anything.'),
  set('memory', 'Memory', 'Read and write the agent’s memory files, which outlive the run.'),
  set('cases', 'Cases', 'Work the cases of a queue: claim, update, complete, fail, postpone, create, hand over.'),
  set('http', 'HTTP', 'Call public HTTP addresses through the outbound guard.'),
  set('schedule', 'Schedule', 'Postpone this run or plan another one.'),
  set('agents', 'Agents', 'Start runs of other agents and wait for what they bring.'),
]
