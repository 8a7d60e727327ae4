// Reads a template: parses it, refuses what could act or load, and finds the expressions. Nothing of it is evaluated here.
import type { Tell } from '../expression/holes.ts'
import { checkJson } from '../expression/jsonHoles.ts'
import { htmlElements, refusalOf, ruleOf, svgElements } from './allowed.ts'
import { hasMark, markHoles, withoutMarks } from './holeMarks.ts'
import { loads, placeOf, valueProblem } from './attributes.ts'
import {
  childrenOf,
  depthMax,
  isHtml,
  isSvg,
  parseHtml,
  TreeRefused,
  type HtmlElement,
  type HtmlNode,
} from './parseHtml.ts'
import { dataAlone, PageExpressions, withName, type Names } from './pageExpressions.ts'
import {
  widgetNames,
  type Filling,
  type PageAttribute,
  type PageNode,
  type PageProblem,
  type PageTemplate,
  type Shown,
} from './pageTemplate.ts'
import { widgetAttributes } from './widgetAttributes.ts'

/** How many characters a template may have. */
const charactersMax = 256 * 1024
/** How many problems are reported. Nobody reads more. */
const problemsMax = 100

/** The page can be shown only if there is no problem. */
export function readPage(html: string): { page: PageTemplate; problems: PageProblem[] } {
  const problems: PageProblem[] = []
  const tell: Tell = (line, message) => {
    if (problems.length < problemsMax) problems.push({ line, message })
  }
  const page: PageTemplate = { nodes: [], reads: [], readAt: new Map(), hasHeading: false }
  if (html.length > charactersMax) {
    tell(1, `The page is longer than ${charactersMax.toLocaleString('en')} characters.`)
    return { page, problems }
  }
  const marked = markHoles(html, tell)
  try {
    const expressions = new PageExpressions(marked, tell)
    const reader = new Reader(expressions, tell)
    page.nodes = reader.nodes(parseHtml(marked.html), { ...dataAlone(), depth: 0, isInParagraph: false })
    page.reads = [...expressions.readAt.keys()]
    page.readAt = expressions.readAt
    page.hasHeading = reader.hasHeading
  } catch (error) {
    if (!(error instanceof TreeRefused)) throw error
    tell(1, error.message)
  }
  return { page, problems: problems.sort((one, other) => one.line - other.line) }
}

/** Where in the tree an element stands: the names that its expressions may read, and how deep it is. */
interface Around extends Names {
  depth: number
  isInParagraph: boolean
}

class Reader {
  hasHeading = false
  readonly #expressions: PageExpressions
  readonly #tell: Tell
  /** The line of the last node that says its own; nodes that the parser adds have none. */
  #line = 1

  constructor(expressions: PageExpressions, tell: Tell) {
    this.#expressions = expressions
    this.#tell = tell
  }

  nodes(children: HtmlNode[], around: Around): PageNode[] {
    if (around.depth > depthMax) throw new TreeRefused(`The page is nested deeper than ${depthMax} levels.`)
    return children.flatMap((child) => this.#node(child, around) ?? [])
  }

  #node(node: HtmlNode, around: Around): PageNode | undefined {
    this.#line = node.sourceCodeLocation?.startLine ?? this.#line
    if (node.nodeName === '#text' && 'value' in node) return this.#text(node.value, around)
    if (node.nodeName === '#comment' && 'data' in node) {
      if (hasMark(node.data)) this.#refuse('A value cannot stand in a comment or in the name of an element.')
      return undefined
    }
    return 'tagName' in node ? this.#element(node, around) : undefined
  }

  #refuse(message: string, line = this.#line): undefined {
    this.#tell(line, message)
  }

  #text(text: string, around: Around): PageNode {
    const filling = this.#expressions.filling(text, around)
    for (const [index, { line }] of filling.holes.entries()) {
      if (filling.literals[index]!.endsWith('<'))
        this.#refuse('A value cannot be the name of an element. Write < as &lt; where the sign itself is meant.', line)
    }
    return { kind: 'text', text: filling }
  }

  #element(element: HtmlElement, around: Around): PageNode | undefined {
    const { tagName: name } = element
    if (hasMark(name)) return this.#refuse('A value cannot be part of the name of an element.')
    if (isHtml(element)) {
      if (name === 'style') return this.#style(element)
      if (name === 'script') return this.#json(element, around)
      if (name === 'title') return this.#noise(childrenOf(element))
      if (name === 'meta') return this.#meta(element)
      const widget = widgetNames.find((one) => one === name)
      if (widget) return this.#widget(widget, element, around)
    }
    const isAllowed = isSvg(element) ? svgElements.has(name) : isHtml(element) && htmlElements.has(name)
    if (!isAllowed) return this.#refuse(refusalOf(name))
    if (name === 'h1') this.hasHeading = true
    const { inner, ...shown } = this.#shown(element, around)
    const attributes = this.#attributes(element, inner)
    return { kind: 'element', name, attributes, ...shown, children: this.#children(element, inner) }
  }

  #children(element: HtmlElement, inner: Around): PageNode[] {
    const children = this.nodes(element.childNodes, {
      ...inner,
      depth: inner.depth + 1,
      isInParagraph: inner.isInParagraph || element.tagName === 'p',
    })
    // HTML begins again inside these two, and would be read differently from how it is written here
    if (isSvg(element) && (element.tagName === 'title' || element.tagName === 'desc')) {
      if (children.some(({ kind }) => kind !== 'text'))
        this.#refuse(`<${element.tagName}> of a picture holds text only.`)
    }
    return children
  }

  #noise(children: HtmlNode[]): undefined {
    const text = children.map((child) => ('value' in child ? child.value : '')).join('')
    if (hasMark(text)) this.#refuse('A value cannot stand in <title>: the page has the title of its artifact.')
  }

  #meta({ attrs }: HtmlElement): undefined {
    const isNoise = attrs.every(({ name }) => ['charset', 'name', 'content', 'property'].includes(name))
    if (!isNoise) this.#refuse('<meta> cannot change how a page is loaded. Leave it out.')
  }

  #style(element: HtmlElement): PageNode | undefined {
    const css = childrenOf(element)
      .map((child) => ('value' in child ? child.value : ''))
      .join('')
    if (hasMark(css)) return this.#refuse('A value cannot stand in <style>. Put it into a class, and style that class.')
    for (const { name } of element.attrs)
      if (name === 'if' || name === 'each') this.#refuse(`<style> has no ${name}=. It counts for the whole page.`)
    if (loads(css)) this.#refuse('A style cannot load anything: no @import, and url() with data: only.')
    return { kind: 'style', css }
  }

  #json(element: HtmlElement, around: Around): PageNode | undefined {
    const type = element.attrs
      .find(({ name }) => name === 'type')
      ?.value.trim()
      .toLowerCase()
    if (type !== 'application/json') return this.#refuse(refusalOf('script'))
    const line = this.#line
    const { inner, ...shown } = this.#shown(element, around)
    for (const { name } of element.attrs)
      if (!['type', 'id', 'if', 'each'].includes(name))
        this.#refuse(
          `<script type="application/json"> takes id= and if= only, not ${withoutMarks(name).slice(0, 40)}=.`,
        )
    const id = element.attrs.find(({ name }) => name === 'id')?.value ?? null
    if (id !== null && hasMark(id)) this.#refuse('A value cannot be the id of data.')
    const text = this.#expressions.filling(
      childrenOf(element)
        .map((child) => ('value' in child ? child.value : ''))
        .join(''),
      inner,
    )
    const areInStrings = text.holes.map(() => false)
    checkJson(text, line, 'text of <script type="application/json">', this.#tell, (hole) => (areInStrings[hole] = true))
    return { kind: 'json', id, text, areInStrings, ...shown }
  }

  #widget(name: (typeof widgetNames)[number], element: HtmlElement, around: Around): PageNode {
    const line = this.#line
    const { inner, ...shown } = this.#shown(element, around)
    const attributes = new Map<string, Filling>()
    const known = widgetAttributes[name]
    for (const { name: attribute, value } of element.attrs) {
      if (attribute === 'if' || attribute === 'each') continue
      const at = element.sourceCodeLocation?.attrs?.[attribute]?.startLine ?? line
      if (known.includes(attribute)) attributes.set(attribute, this.#expressions.filling(value, inner))
      else this.#refuse(`<${name}> has no ${withoutMarks(attribute).slice(0, 40)}=. It takes ${known.join(', ')}.`, at)
    }
    if (around.isInParagraph && name !== 'big-number')
      this.#refuse(`<${name}> cannot stand inside <p>. Close the paragraph first.`, line)
    const missing = name === 'big-number' ? 'value' : 'rows'
    if (!attributes.has(missing)) this.#refuse(`<${name}> needs ${missing}="{{ … }}".`, line)
    if (element.childNodes.some((child) => 'tagName' in child || ('value' in child && child.value.trim() !== '')))
      this.#refuse(`<${name}> takes no content. Close it at once: <${name} …></${name}>.`, line)
    return { kind: 'widget', name, attributes, line, ...shown }
  }

  #attributes(element: HtmlElement, around: Around): PageAttribute[] {
    const kept: PageAttribute[] = []
    for (const { name, value, prefix } of element.attrs) {
      if (name === 'if' || name === 'each') continue
      const line = element.sourceCodeLocation?.attrs?.[name]?.startLine ?? this.#line
      const shown = withoutMarks(name).slice(0, 40)
      if (hasMark(name)) this.#refuse(`A value cannot be the name of an attribute: ${shown}.`, line)
      const rule = ruleOf(element.tagName, prefix ? `${prefix}:${name}` : name, isSvg(element))
      if (rule === 'acts')
        this.#refuse(`${shown}= cannot stand on <${element.tagName}>: it could run, load or send something.`, line)
      else if (rule === 'noise' && hasMark(value))
        this.#refuse(`${shown}= means nothing on <${element.tagName}>, so no value can stand in it.`, line)
      if (rule !== 'kept' || hasMark(name)) continue
      const place = placeOf(element.tagName, name)
      const filling = this.#expressions.filling(value, around)
      const problem = valueProblem(name, place, filling, isSvg(element))
      if (problem !== undefined) this.#refuse(problem, line)
      else kept.push({ name, place, value: filling })
    }
    return kept
  }

  /** `each=` comes before `if=`, which can read the row. */
  #shown(element: HtmlElement, around: Around): Shown & { inner: Around } {
    const each = element.attrs.find(({ name }) => name === 'each')?.value
    const condition = element.attrs.find(({ name }) => name === 'if')?.value
    const repeat = each === undefined ? null : this.#expressions.repeat(each, around, this.#line)
    const inner = repeat ? { ...around, ...withName(around, repeat.name) } : around
    return {
      repeat,
      inner,
      condition: condition === undefined ? null : this.#expressions.bare('if', condition, inner, this.#line),
    }
  }
}
