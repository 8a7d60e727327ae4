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
  set('human', 'People', 'Ask a person: approvals, questions and forms; the run waits without costing anything.'),
  set('http', 'HTTP', 'Call public HTTP addresses through the outbound guard.'),
  set('schedule', 'Schedule', 'Postpone this run or plan another one.'),
  set('agents', 'Agents', 'Start runs of other agents and wait for what they bring.'),
]
