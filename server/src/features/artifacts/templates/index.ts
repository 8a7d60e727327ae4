// The built-in pages. Each is a Markdown file beside this one: its title, a sentence about it, the steps, and the template as its last block.
import { readFileSync } from 'node:fs'

export interface PageOffer {
  name: string
  title: string
  description: string
  /** The Markdown without the template. */
  procedure: string
  html: string
}

const templateNames = [
  'operations_today',
  'agent_scorecard',
  'queue_ageing',
  'cost_by_agent_and_model',
  'blank',
] as const

export const templates: PageOffer[] = templateNames.map((name) => {
  const text = readFileSync(new URL(`${name}.md`, import.meta.url), 'utf8')
  const [block, , html] = /^(`{3,})html\n([^]*?)^\1\n/m.exec(text) ?? []
  const [, title, description] = /^# (.+)\n\n(.+)\n/.exec(text) ?? []
  if (block === undefined || html === undefined || title === undefined || description === undefined) {
    throw new Error(`${name}.md needs a title, a sentence about the page, and an html block`)
  }
  return { name, title, description, procedure: `${text.replace(block, '').trim()}\n`, html }
})
