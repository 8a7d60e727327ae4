// Prompts: what people do most, as a message that sends a model to the right tools.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

interface Argument {
  name: string
  description: string
  required?: boolean
}

interface Prompt {
  name: string
  title: string
  description: string
  arguments: Argument[]
  text: (given: Record<string, string>) => string
}

const prompts: Prompt[] = [
  {
    name: 'start_run',
    title: 'Start a run',
    description: 'Start a run of an agent, wait for it and report its result.',
    arguments: [
      { name: 'agent', description: 'The agent’s id or name.', required: true },
      { name: 'message', description: 'What the run is about.' },
    ],
    text: ({ agent, message }) =>
      `Start a run of the agent “${agent}” with startRun${message ? `, with this message: ${message}` : ''}. ` +
      'If that is a name and not an id, find the agent with listAgents first. Give an idempotency_key. Then call waitForRun until the run ' +
      'has ended or needs somebody. Report its output; if it failed or needs somebody, say why with explainRun and what I can do.',
  },
  {
    name: 'triage_queue',
    title: 'Triage a queue',
    description: 'Look through the cases of a queue and say which need what.',
    arguments: [{ name: 'queue', description: 'The queue’s id or name.', required: true }],
    text: ({ queue }) =>
      `Triage the queue “${queue}”. If that is a name and not an id, find the queue with listQueues first. Read its cases with listCases: ` +
      'first those that need input, then failed ones, then pending ones by age. Read a case with getCase where its title does not tell enough. ' +
      'Group them by what they need, propose a priority for each group, and ask me before you change anything with updateCase.',
  },
  {
    name: 'review_human_requests',
    title: 'Review waiting human requests',
    description: 'Go through what runs ask of people, one after the other.',
    arguments: [],
    text: () =>
      'Read the waiting requests with listHumanRequests, the one that has waited longest first. For each, say which run asks, what it wants ' +
      'to do or know, and what its last messages (listRunMessages) say about why. Then ask me for a decision and send exactly that with ' +
      'respondToHumanRequest, with the action_hash that I was shown. Decide nothing yourself.',
  },
]

export const promptList = prompts.map(({ text: _text, ...listed }) => listed)

export function promptText(name: string, given: Record<string, string>) {
  const prompt = prompts.find((one) => one.name === name)
  if (!prompt) {
    const says = `Unknown prompt: ${name.slice(0, 100)}. There are: ${prompts.map((one) => one.name).join(', ')}.`
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, says)
  }
  const missing = prompt.arguments.find((one) => one.required && !given[one.name])
  if (missing) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The argument ${missing.name} is missing.`)
  const text = prompt.text(given)
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  }
}
