// Shows a template with its data: as a document that needs nothing else, as Markdown, and as tables.
import { valueAt, isTrue, type Scope } from '../expression/evaluate.ts'
import { CannotRender } from '../expression/text.ts'
import type { StepBudget } from '../stepBudget.ts'
import { draw, lengthOf, type Drawn, type DrawnElement } from './drawn.ts'
import { documentOf } from './document.ts'
import { fillAttribute, fillJson, fillText, fillValue, valueOf, type Report } from './fill.ts'
import { markdownOf } from './markdown.ts'
import type { PageNode, PageProblem, PageTemplate, Shown } from './pageTemplate.ts'
import type { PageTable } from './pageTable.ts'
import { tablesOf } from './tables.ts'
import { drawWidget, rowsMax } from './widgets.ts'

interface PageView {
  /** What the steps gave, by their ids. */
  data: unknown
  title: string
  /** When the data was fetched. */
  at: Date
  /** Without one, the page follows the viewer's own. */
  theme?: 'light' | 'dark'
  /** The steps that the expressions and rows of the page may take. */
  budget: StepBudget
}

export interface RenderedPage {
  html: string
  tables: PageTable[]
  markdown: string
  /** Values that could not be computed; the page shows that they are missing. */
  problems: PageProblem[]
}

/** How many characters a page may have. */
const charactersMax = 4 * 1024 * 1024
/** How many steps a node costs. */
const stepsOfNode = 10
const problemsMax = 100
const notesMax = 20

/** Throws CannotRender if the page gets too large, and TooManySteps if it takes more than its budget. */
export function renderPage(page: PageTemplate, view: PageView): RenderedPage {
  const drawing = new Drawing(view.budget)
  const content = drawing.nodes(page.nodes, new Map([['data', view.data]]))
  const html = documentOf({ ...view, content, notes: drawing.notes, hasHeading: page.hasHeading })
  if (html.length > charactersMax) throw tooLarge()
  const tables = tablesOf(content, view.budget)
  return { html, tables, markdown: markdownOf(content, view, page.hasHeading), problems: drawing.problems }
}

const tooLarge = (): CannotRender =>
  new CannotRender(
    `The page is longer than ${charactersMax.toLocaleString('en')} characters with its data. Show fewer rows.`,
  )

/** The values of the names that expressions may read: data, and the rows of each= around them. */
type Names = ReadonlyMap<string, unknown>

class Drawing {
  readonly notes: string[] = []
  readonly problems: PageProblem[] = []
  readonly #budget: StepBudget
  #length = 0

  constructor(budget: StepBudget) {
    this.#budget = budget
  }

  nodes(nodes: PageNode[], names: Names): Drawn[] {
    return nodes.flatMap((node) => this.#node(node, names))
  }

  #node(node: PageNode, names: Names): Drawn[] {
    this.#budget.spend(stepsOfNode)
    if (node.kind === 'text') return [this.#counted(fillText(node.text, this.#scope(names), this.#report))]
    if (node.kind === 'style') return [this.#counted({ ...draw('style'), raw: node.css })]
    return this.#occurrences(node, names).map((inner) => this.#shownNode(node, inner))
  }

  /** The names for each time that a node is shown. */
  #occurrences({ repeat, condition }: Shown, names: Names): Names[] {
    const all = repeat ? this.#rows(repeat, names) : [names]
    if (!condition) return all
    return all.filter((inner) => isTrue(valueOf(condition, this.#scope(inner), this.#report)))
  }

  #rows({ name, list, source }: NonNullable<Shown['repeat']>, names: Names): Names[] {
    const value = valueOf(list, this.#scope(names), this.#report)
    if (value === null) return []
    if (!Array.isArray(value)) {
      this.#report(list.line, `${source} is not a list, so each= shows nothing.`)
      return []
    }
    if (value.length > rowsMax)
      this.#note(`${source}: ${rowsMax.toLocaleString('en')} of ${value.length.toLocaleString('en')} rows are shown.`)
    const shown = value.slice(0, rowsMax)
    this.#budget.spend(shown.length * names.size)
    return shown.map((row: unknown) => new Map(names).set(name, row))
  }

  #shownNode(node: Exclude<PageNode, { kind: 'text' | 'style' }>, names: Names): Drawn {
    this.#budget.spend(stepsOfNode)
    const scope = this.#scope(names)
    if (node.kind === 'json') {
      const raw = fillJson(node.text, node.areInStrings, scope, this.#report)
      return this.#counted({ ...draw('script', { type: 'application/json', id: node.id ?? undefined }), raw })
    }
    if (node.kind === 'widget') {
      const values = new Map(
        [...node.attributes].map(([key, filling]) => [key, fillValue(filling, scope, this.#report)]),
      )
      const report = (message: string) => this.#report(node.line, message)
      const rows = values.get('rows') ?? null
      if (typeof rows !== 'object') report(`rows= of <${node.name}> is not a list, so it shows nothing.`)
      if (rows === null && values.has('rows')) report(`rows= of <${node.name}> has no value, so it shows nothing.`)
      const remarks = { report, note: (text: string) => this.#note(text) }
      return this.#counted(drawWidget(node.name, values, this.#budget, remarks))
    }
    const element: DrawnElement = draw(node.name)
    for (const attribute of node.attributes) {
      const text = fillAttribute(attribute, scope, this.#report)
      if (text === undefined) continue
      element.attributes.push([attribute.name, text])
      // a page never leaves its frame, and what it opens knows nothing of it
      if (attribute.place === 'link' && !text.startsWith('#'))
        element.attributes.push(['target', '_blank'], ['rel', 'noopener noreferrer'])
    }
    this.#counted(element)
    element.children = this.nodes(node.children, names)
    return element
  }

  #scope(names: Names): Scope {
    return { budget: this.#budget, read: (root, keys) => valueAt(names.get(root) ?? null, keys) }
  }

  readonly #report: Report = (line, message) => {
    if (this.problems.length < problemsMax) this.problems.push({ line, message })
  }

  #note(text: string): void {
    if (this.notes.length < notesMax && !this.notes.includes(text)) this.notes.push(text)
  }

  #counted<T extends Drawn>(node: T): T {
    this.#length += lengthOf(node)
    if (this.#length > charactersMax) throw tooLarge()
    return node
  }
}
