// file, memory, output, agent and tool: a text or a JSON value, handed over as it is.
import { content, type BlockAction, type Draft } from '../block.ts'
import { isRecord } from '../../../../base/isRecord.ts'
import type { Template } from '../template.ts'
import { textOf } from '../../../../base/expression/text.ts'

export function writeBlock(tool: 'sandbox_write_file' | 'memory_write'): (draft: Draft) => BlockAction {
  return (draft) => {
    const written = draft.attributes.get('path') ?? ''
    if (written.trim() === '')
      draft.tell(draft.line, `This ${draft.kind} block does not say where to write. Add path=notes.md.`)
    const path = draft.template(written, draft.line, 'text')
    const isJson = path.literals.at(-1)!.toLowerCase().endsWith('.json')
    const text = draft.template(draft.body, draft.line + 1, isJson ? 'json_text' : 'text', 'content of a .json file')
    return { tool, resolve: (fill) => ({ path: fill(path), content: fill(text) }) }
  }
}

export function outputBlock(draft: Draft): BlockAction {
  const output = required(draft, 'output', 'Write what the run leaves behind.')
  return { tool: null, resolve: (fill) => fill(output) }
}

export function agentBlock(draft: Draft): BlockAction {
  const agent = named(draft, 'the agent to start')
  const message = required(draft, 'message', 'Write the message for the agent.')
  return { tool: 'agents_run', resolve: (fill) => ({ agent, message: messageOf(fill(message)) }) }
}

/** A run takes a text or an object. */
const messageOf = (value: unknown): unknown => (isRecord(value) ? value : textOf(value))

export function toolBlock(draft: Draft): BlockAction {
  const tool = named(draft, 'the tool to call')
  if (tool !== '' && !/^[A-Za-z0-9_.:/-]{1,128}$/.test(tool)) {
    draft.tell(draft.line, 'name= is the name of a tool: letters, digits and _ . : / - only.')
  }
  if (draft.body.trim() === '') return { tool, resolve: () => ({}) }
  if (!/^\{(?!\{)/.test(draft.body.trim())) {
    draft.tell(draft.line + 1, 'The arguments of a tool are a JSON object: {"name": {{ … }}}.')
  }
  const given = draft.template(draft.body, draft.line + 1, 'json_value', 'list of arguments')
  return { tool, resolve: (fill) => fill(given) }
}

function named(draft: Draft, what: string): string {
  const name = draft.attributes.get('name') ?? ''
  if (name.trim() === '') draft.tell(draft.line, `This ${draft.kind} block does not name ${what}. Add name=….`)
  return name
}

function required(draft: Draft, what: string, hint: string): Template {
  if (draft.body.trim() === '') draft.tell(draft.line, `This ${draft.kind} block is empty. ${hint}`)
  return content(draft, { text: draft.body, line: draft.line + 1 }, what)
}
