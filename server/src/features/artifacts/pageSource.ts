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
  const templates = readFences(markdown).fences.filter(isHtml)
  return { procedure: without(markdown, templates), html: templates.at(-1)?.body ?? null }
}

/** The words between the blocks. */
export const withoutFences = (markdown: string): string => without(markdown, readFences(markdown).fences)

function without(markdown: string, fences: { line: number; nextLine: number }[]): string {
  const lines = markdown.split(/\r\n|\n|\r/)
  for (const { line, nextLine } of fences.toReversed()) lines.splice(line - 1, nextLine - line)
  return lines.join('\n').trim()
}
