// Shows what the server finds wrong at its line: a mark below the words, a shape beside the number, and the message under the line.
import type { ProcedureFix, ProcedureProblem as Problem } from '@runyard/sdk'
import {
  RangeSet,
  StateEffect,
  StateField,
  type EditorState,
  type Extension,
  type Range,
  type Text,
} from '@codemirror/state'
import {
  Decoration,
  EditorView,
  gutter,
  GutterMarker,
  lineNumberMarkers,
  WidgetType,
  type DecorationSet,
} from '@codemirror/view'

interface Shown {
  drawn: DecorationSet
  shapes: RangeSet<GutterMarker>
  numbers: RangeSet<GutterMarker>
}

export const setProblems = StateEffect.define<readonly Problem[]>()

const nothing: Shown = { drawn: Decoration.none, shapes: RangeSet.empty, numbers: RangeSet.empty }

/** Between two answers of the server they move with the text around them. */
const problemsField = StateField.define<Shown>({
  create: () => nothing,
  update(shown, { changes, effects, state, docChanged }) {
    for (const effect of effects) if (effect.is(setProblems)) return show(state.doc, effect.value)
    if (!docChanged) return shown
    const { drawn, shapes, numbers } = shown
    return { drawn: drawn.map(changes), shapes: shapes.map(changes), numbers: numbers.map(changes) }
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ drawn }) => drawn),
    lineNumberMarkers.from(field, ({ numbers }) => numbers),
  ],
})

const svg = 'http://www.w3.org/2000/svg'

/** The shape of what failed, as look/StatusShape.tsx draws it. */
function shape(): SVGElement {
  const drawing = document.createElementNS(svg, 'svg')
  const path = (d: string, attributes: Record<string, string>) => {
    const one = document.createElementNS(svg, 'path')
    for (const [name, value] of Object.entries({ d, ...attributes })) one.setAttribute(name, value)
    drawing.append(one)
  }
  for (const [name, value] of Object.entries({
    viewBox: '0 0 16 16',
    width: '13',
    height: '13',
    'aria-hidden': 'true',
  }))
    drawing.setAttribute(name, value)
  path('M5.3 1.6h5.4l3.7 3.7v5.4l-3.7 3.7H5.3l-3.7-3.7V5.3z', { class: 'rb-shape' })
  path('M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4', { class: 'rb-shapeMark' })
  return drawing
}

class ShapeMarker extends GutterMarker {
  readonly severity: Problem['severity']
  constructor(severity: Problem['severity']) {
    super()
    this.severity = severity
  }
  override eq(other: ShapeMarker) {
    return other.severity === this.severity
  }
  override toDOM() {
    const drawing = shape()
    drawing.classList.add(`rb-${this.severity}`)
    return drawing
  }
}

class NumberMarker extends GutterMarker {
  override elementClass: string
  constructor(severity: Problem['severity']) {
    super()
    this.elementClass = `rb-${severity}Number`
  }
}

class Message extends WidgetType {
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[]) {
    super()
    this.problems = problems
  }
  override eq(other: Message) {
    return JSON.stringify(other.problems) === JSON.stringify(this.problems)
  }
  override toDOM(view: EditorView) {
    const box = document.createElement('div')
    box.className = `rb-message rb-${worst(this.problems)}Message`
    for (const problem of this.problems) box.append(paragraph(problem, view))
    return box
  }
  override ignoreEvent() {
    return true
  }
}

/** The first sentence says what is wrong; the rest, what to do. */
function paragraph({ message, fix }: Problem, view: EditorView): HTMLElement {
  const [first = message] = /^.*?[.?!](?=\s|$)/s.exec(message) ?? []
  const text = document.createElement('p')
  const strong = document.createElement('b')
  strong.textContent = first
  text.append(strong, message.slice(first.length))
  if (fix && !view.state.readOnly) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'rb-fix'
    button.textContent = fix.title
    button.addEventListener('click', () => applyFix(view, fix, view.posAtDOM(button)))
    text.append(' ', button)
  }
  return text
}

/** In the line under which the message stands now: it may have moved since the server answered. */
function applyFix(view: EditorView, { column, end_column, text }: ProcedureFix, at: number): void {
  const { doc } = view.state
  const { number } = doc.lineAt(at)
  const from = placeOf(doc, number, column)
  const to = placeOf(doc, number, end_column)
  view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length } })
  view.focus()
}

const worst = (problems: readonly Problem[]): Problem['severity'] =>
  problems.some(({ severity }) => severity === 'error') ? 'error' : 'warning'

/** The text may be newer than the answer. */
function placeOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines))
  return Math.min(to, from + column - 1)
}

function show(doc: Text, problems: readonly Problem[]): Shown {
  const drawn: Range<Decoration>[] = []
  const shapes: Range<GutterMarker>[] = []
  const numbers: Range<GutterMarker>[] = []
  const byLine = Map.groupBy(problems, ({ line }) => Math.min(line, doc.lines))
  for (const [number, here] of byLine) {
    const { from, to } = doc.line(number)
    const severity = worst(here)
    drawn.push(Decoration.line({ class: `rb-${severity}Line` }).range(from))
    for (const problem of here) {
      const [start, end] = [placeOf(doc, number, problem.column), placeOf(doc, number, problem.end_column)]
      if (start < end) drawn.push(Decoration.mark({ class: `rb-${problem.severity}Words` }).range(start, end))
    }
    drawn.push(Decoration.widget({ widget: new Message(here), block: true, side: 1 }).range(to))
    shapes.push(new ShapeMarker(severity).range(from))
    numbers.push(new NumberMarker(severity).range(from))
  }
  return { drawn: Decoration.set(drawn, true), shapes: RangeSet.of(shapes, true), numbers: RangeSet.of(numbers, true) }
}

export const problemLines: Extension = [
  gutter({
    class: 'rb-shapes',
    markers: ({ state }) => shapesIn(state),
    initialSpacer: () => new ShapeMarker('error'),
  }),
  problemsField,
]

const shapesIn = (state: EditorState): RangeSet<GutterMarker> => state.field(problemsField).shapes
