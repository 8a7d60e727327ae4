// What a message leads to: steps that the message brings itself, a built-in page, a model, or a question to the person.
import type { Sql } from '../../base/db.ts'
import { parseRunbook } from '../../drivers/model/runbook/parse.ts'
import { titleOf } from '../../engine/starting/title.ts'
import type { Context } from '../../kit/context.ts'
import { joinProblems } from '../../kit/problems.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { joinSource, splitSource, withoutFences } from './pageSource.ts'
import { templates } from './templates/index.ts'
import { chatConfig, chatModelOf, pageConfig } from './workConfig.ts'

interface Asked {
  teamId: string
  text: string
  /** The name of a built-in page. */
  template: string | undefined
  /** The template of the page as it is. */
  html: string | undefined
  connectionIds: string[]
}

type Plan = { config: object } | { problem: string }

export async function planMessage(context: Context, sql: Sql, asked: Asked): Promise<Plan> {
  const { template, connectionIds } = asked
  if (template !== undefined) {
    const known = findTemplate(template)
    return known
      ? { config: pageConfig(context, joinSource(known.procedure, known.html), connectionIds) }
      : { problem: `There is no template ${JSON.stringify(template)}. There are: ${templateNames()}.` }
  }
  const model = await chatModelOf(context, asked.teamId, sql)
  const steps = teamTimeOf(context).piece(asked.teamId, () => stepsOf(asked, model !== undefined))
  if (steps) {
    return 'problem' in steps ? steps : { config: pageConfig(context, steps.source, connectionIds) }
  }
  if (model !== undefined) return { config: chatConfig(context, model, connectionIds) }
  return { config: pageConfig(context, choiceOfPage(), connectionIds) }
}

/**
 * A message that has fenced steps is a procedure itself, with or without a template of its own. With a model it needs the template:
 * a person who shows the model a piece of code does not mean to run it.
 */
function stepsOf({ text, html }: Asked, hasModel: boolean): { source: string } | { problem: string } | undefined {
  const { procedure, html: own } = splitSource(text)
  if (hasModel && own === null) return undefined
  const written = parseRunbook(text)
  if (written.blocks.length === 0 && written.problems.length === 0) return undefined
  const shown = own ?? html ?? blank().html
  const source = joinSource(procedure, shown)
  // a message that brings its template is checked as it was written, so that its line numbers are right
  const { problems } = own === null ? parseRunbook(source) : written
  if (problems.length === 0) return { source }
  return { problem: joinProblems(problems.map(({ line, message }) => `message: line ${line}: ${message}`)) }
}

const blank = () => {
  const found = findTemplate('blank')
  if (!found) throw new Error('there is no blank template')
  return found
}

/** The first line outside its steps: a heading, or what the message asks for. */
export function titleOfMessage(text: string): string {
  const words = withoutFences(text).replace(/^\s*#{1,6}\s/, '')
  return titleOf(words, 'Untitled page')
}

/** `wanted` is its name, or the title that people choose from. */
export const findTemplate = (wanted: string) => templates.find(({ name, title }) => name === wanted || title === wanted)

export const templateNames = (): string => templates.map(({ name }) => name).join(', ')

/** Without a model nobody can read the message, so the person chooses a built-in page. */
export const pageQuestion = 'Which page do you want?'

function choiceOfPage(): string {
  const options = templates.map(({ title, description }) => `- ${title}: ${description}`)
  return `# A page without a model

This server has no model that could read the message, so it asks for a built-in page.

\`\`\`ask id=page
${pageQuestion}
${options.join('\n')}
\`\`\`

\`\`\`tool name=artifact_save id=saved
{"template": {{ answers.page[${JSON.stringify(pageQuestion)}] }}}
\`\`\`

\`\`\`output
This is the built-in page “{{ answers.page[${JSON.stringify(pageQuestion)}] }}”. This server has no model that could read your message; its operator can set RUNYARD_MODEL. Without a model, send a message with steps and an html block.
\`\`\`
`
}
