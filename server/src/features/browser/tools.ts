// The tool set `browser`: one tool an action, and one for the lines of a runbook.
import { scrollTargets, type Action } from '../../drivers/browser/browser.ts'
import type { ToolSet } from '../../kit/feature.ts'
import { oneOf, Type, type Static, type TObject } from '../../kit/schema.ts'
import { outsideTool, type Tool } from '../../kit/tool.ts'
import { actInBrowser } from './actInBrowser.ts'
import { isHarmless, leavingOf, lineForms, readLine } from './browserLine.ts'
import { loginAction } from './loginTool.ts'

const Element = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'The reference of the element in the last snapshot, such as e12, or the words that it shows.',
})

/** The longest action is a wait of 30 s; opening the browser and settling come on top. */
const timeoutMs = 120_000
const linesMax = 50

function actionTool<Input extends TObject>(declared: {
  name: string
  description: string
  input: Input
  action: (input: Static<Input>) => Action
}): Tool {
  const { action, ...described } = declared
  return outsideTool<Input>({
    ...described,
    onDoubt: (input) => (isHarmless(action(input)) ? 'retry' : 'ask'),
    leaves: (input) => leavingOf([action(input)]),
    timeoutMs,
    // actions of a turn share the page
    beside: 'alone',
    execute: (call, outside) => actInBrowser(call, outside, [action(call.input)]),
  })
}

const actionsIn = (lines: string[]) => lines.map(readLine).flatMap((one) => ('problem' in one ? [] : [one]))

const browserDo = outsideTool({
  name: 'browser_do',
  description: `Do several things in the browser, one after the other, and stop at the first that fails. One a line: ${lineForms}.`,
  input: Type.Object({
    lines: Type.Array(Type.String({ maxLength: 10_000 }), { minItems: 1, maxItems: linesMax }),
  }),
  onDoubt: ({ lines }) => (lines.map(readLine).every((one) => 'problem' in one || isHarmless(one)) ? 'retry' : 'ask'),
  leaves: ({ lines }) => leavingOf(actionsIn(lines)),
  actsAs: ({ lines }) => actionsIn(lines).map(({ kind }) => `browser_${kind}`),
  timeoutMs: 600_000,
  beside: 'alone',
  async execute(call, outside) {
    const actions: Action[] = []
    for (const [index, line] of call.input.lines.entries()) {
      const read = readLine(line)
      // checked before anything is done: half of a wrong list helps nobody
      if ('problem' in read) return { error: `Line ${index + 1}: ${read.problem}` }
      actions.push(read.kind === 'login' ? loginAction(call, outside, read.login) : read)
    }
    return actInBrowser(call, outside, actions, call.input.lines)
  },
})

export const browserTools: ToolSet = {
  name: 'browser',
  title: 'Browser',
  description: 'Open pages, read them, fill in forms, download files. A picture of every action is stored.',
  provider: null,
  tools: [
    actionTool({
      name: 'browser_open',
      description:
        'Open an http or https URL in the active page. Gives the page as a snapshot with references such as e12.',
      input: Type.Object({ url: Type.String({ minLength: 1, maxLength: 4000 }) }),
      action: ({ url }) => ({ kind: 'open', url }),
    }),
    actionTool({
      name: 'browser_click',
      description: 'Click an element of the page.',
      input: Type.Object({ element: Element }),
      action: ({ element }) => ({ kind: 'click', element }),
    }),
    actionTool({
      name: 'browser_type',
      description: 'Write a text into a field, in place of what was there; with submit, press Enter after it.',
      input: Type.Object({
        element: Element,
        text: Type.String({ maxLength: 100_000 }),
        submit: Type.Optional(Type.Boolean()),
      }),
      action: ({ element, text, submit = false }) => ({ kind: 'type', element, text, submit }),
    }),
    actionTool({
      name: 'browser_select',
      description: 'Choose an option of a list by its words or its value.',
      input: Type.Object({ element: Element, value: Type.String({ maxLength: 1000 }) }),
      action: ({ element, value }) => ({ kind: 'select', element, value }),
    }),
    actionTool({
      name: 'browser_press',
      description: 'Press a key, such as Enter, Escape, Tab, ArrowDown or Control+a.',
      input: Type.Object({ key: Type.String({ minLength: 1, maxLength: 50 }) }),
      action: ({ key }) => ({ kind: 'press', key }),
    }),
    actionTool({
      name: 'browser_read',
      description: 'Read the active page as a snapshot with references; with an element, only the text of that.',
      input: Type.Object({ element: Type.Optional(Element) }),
      action: ({ element }) => (element === undefined ? { kind: 'read' } : { kind: 'read', element }),
    }),
    actionTool({
      name: 'browser_back',
      description: 'Go back to the page before.',
      input: Type.Object({}),
      action: () => ({ kind: 'back' }),
    }),
    actionTool({
      name: 'browser_scroll',
      description: 'Scroll the page by a screen, or to its top or bottom.',
      input: Type.Object({ to: oneOf(scrollTargets) }),
      action: ({ to }) => ({ kind: 'scroll', to }),
    }),
    actionTool({
      name: 'browser_wait',
      description: 'Wait until the page shows a text, or for some seconds, 30 at most.',
      input: Type.Object({
        text: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
        seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 30 })),
      }),
      action: (input) => ({ kind: 'wait', ...input }),
    }),
    actionTool({
      name: 'browser_pages',
      description: 'List the pages that are open, by number.',
      input: Type.Object({}),
      action: () => ({ kind: 'pages' }),
    }),
    actionTool({
      name: 'browser_switch',
      description: 'Make another open page the active one, by its number.',
      input: Type.Object({ page: Type.Integer({ minimum: 1 }) }),
      action: ({ page }) => ({ kind: 'switch', page }),
    }),
    actionTool({
      name: 'browser_screenshot',
      description:
        'Take a picture of the active page, for the people who follow the run and for you, if you can see pictures.',
      input: Type.Object({}),
      action: () => ({ kind: 'screenshot' }),
    }),
    browserDo,
  ],
}
