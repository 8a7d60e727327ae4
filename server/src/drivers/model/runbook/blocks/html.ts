// html: the template of a page, shown with the results of the steps that it reads. The last one that runs is the page.
import { readPage } from '../../../../base/page/readPage.ts'
import type { BlockAction, Draft } from '../block.ts'

export function htmlBlock(draft: Draft): BlockAction {
  const html = draft.body
  if (html.trim() === '') draft.tell(draft.line, 'This html block is empty. Write the template of the page.')
  const { page, problems } = readPage(html)
  for (const { line, message } of problems) draft.tell(draft.line + line, message)
  // a value for each step: so one that is unknown or comes later is reported like in any other block
  const steps = page.reads.map((id) => {
    const line = draft.line + (page.readAt.get(id) ?? 0)
    return { id, template: draft.template(`{{ steps[${JSON.stringify(id)}] }}`, line, 'value') }
  })
  return {
    tool: 'artifact_show',
    resolve: (fill) => ({ html, steps: Object.fromEntries(steps.map(({ id, template }) => [id, fill(template)])) }),
  }
}
