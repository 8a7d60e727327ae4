// Built-in pages with figures in them: the steps of the page are asked, and its template shows the answers.
import assert from 'node:assert/strict'
import { renderPage, type RenderedPage } from '../../src/base/page/renderPage.ts'
import { readPage } from '../../src/base/page/readPage.ts'
import { StepBudget } from '../../src/base/stepBudget.ts'
import type { PageOffer } from '../../src/features/artifacts/templates/index.ts'
import { sampleNow } from './sampleTeam.ts'

export type Ask = (tool: string, input: object) => Promise<unknown>

export interface PageStep {
  id: string
  tool: string
  input: object
}

/** The calls of tools in a procedure, in their order. */
export const stepsOf = ({ procedure }: PageOffer): PageStep[] =>
  [...procedure.matchAll(/^```tool id=(\w+) name=(\w+)\n([^]*?)^```$/gm)].map(([, id = '', tool = '', body = '']) => {
    return { id, tool, input: JSON.parse(body) as object }
  })

export async function pageOf(template: PageOffer, theme: 'light' | 'dark', ask: Ask): Promise<RenderedPage> {
  const data: Record<string, unknown> = {}
  for (const { id, tool, input } of stepsOf(template)) data[id] = await ask(tool, input)
  const { page, problems } = readPage(template.html)
  assert.deepEqual(problems, [])
  assert.deepEqual(page.reads.toSorted(), Object.keys(data).toSorted(), 'a page reads the steps that it has')
  return renderPage(page, { data, title: template.title, at: sampleNow, theme, budget: new StepBudget(5_000_000) })
}
