// The steps and the template of a page as one procedure: the template is the last html block.
import { readFences } from '../../drivers/model/runbook/fences.ts'

interface PageSource {
  procedure: string
  /** Null: the text has no html block. */
  html: string | null
}

const isHtml = ({ info }: { info: string }): boolean => /^html(?:\s|$)/.test(info)

/** The fence is longer than any in the template, so the template cannot end its own block. */
export function joinSource(procedure: string, html: string): string {
  const longest = Math.max(2, ...[...html.matchAll(/`{3,}/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const steps = procedure.trim() === '' ? '' : `${procedure.trimEnd()}\n\n`
  return `${steps}${fence}html\n${html.replace(/\n$/, '')}\n${fence}\n`
}

/** Takes every html block out; the last one is the template. */
export function splitSource(markdown: string): PageSource {
  const { fences } = readFences(markdown)
  const templates = fences.filter(isHtml)
  const lines = markdown.split(/\r\n|\n|\r/)
  for (const { line, nextLine } of templates.toReversed()) lines.splice(line - 1, nextLine - line)
  return { procedure: lines.join('\n').trim(), html: templates.at(-1)?.body ?? null }
}
