// The tool by which a model reads the page as it is now: its steps, its template and its data.
import { Type } from '../../kit/schema.ts'
import { insideTool, type Outcome } from '../../kit/tool.ts'
import { artifactOfRun, notWorking, pageNow } from './workingOn.ts'

/** How many characters of the data a model reads. */
const dataMax = 20_000

export const artifactRead = insideTool({
  name: 'artifact_read',
  description:
    'Read the page of this artifact as it is now: its steps, its template and the data that the steps last gave.',
  input: Type.Object({}),
  async apply(calls, sql) {
    const outcomes: Outcome[] = []
    for (const { run } of calls) {
      const artifact = await artifactOfRun(sql, run)
      if (!artifact) outcomes.push({ error: notWorking })
      else {
        const { title, kind, id } = artifact
        const page = await pageNow(sql, id)
        const result = page
          ? { title, kind, procedure: page.procedure, html: page.html, data: cut(page.data) }
          : { title, kind, procedure: null, html: null, data: null }
        outcomes.push({ result })
      }
    }
    return outcomes
  },
})

/** Large data as its beginning: a model needs the shape of it, not all rows. */
export function cut(data: unknown): unknown {
  const text = JSON.stringify(data)
  return text.length <= dataMax ? data : `${text.slice(0, dataMax).toWellFormed()} … [cut: ${text.length} characters]`
}
