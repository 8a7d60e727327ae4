// Draws the blocks of a procedure: their ground, and what is marked in their lines. Only what is on the screen is drawn.
import { StateField, type EditorState, type Extension, type Range } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view'
import { blockAt, findBlocks, type Block } from './blocks.ts'
import { markLine, type Mark } from './marks.ts'

const read = (state: EditorState): Block[] => findBlocks(state.doc.toString().split('\n'))

const blocksField = StateField.define<Block[]>({
  create: read,
  update: (blocks, transaction) => (transaction.docChanged ? read(transaction.state) : blocks),
})

const marks: Record<Mark['as'], Decoration> = {
  fence: Decoration.mark({ class: 'rb-fence' }),
  kind: Decoration.mark({ class: 'rb-kind' }),
  option: Decoration.mark({ class: 'rb-option' }),
  verb: Decoration.mark({ class: 'rb-verb' }),
  value: Decoration.mark({ class: 'rb-value' }),
}

const lineOf = (line: number, { openLine, closeLine, isClosed }: Block): Decoration =>
  line === openLine ? lines.first : line === closeLine && isClosed ? lines.last : lines.inner

const lines = {
  first: Decoration.line({ class: 'rb-block rb-first' }),
  inner: Decoration.line({ class: 'rb-block' }),
  last: Decoration.line({ class: 'rb-block rb-last' }),
}

function draw({ state, visibleRanges }: EditorView): DecorationSet {
  const blocks = state.field(blocksField)
  const drawn: Range<Decoration>[] = []
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to;) {
      const line = state.doc.lineAt(at)
      const block = blockAt(blocks, line.number)
      if (block) {
        drawn.push(lineOf(line.number, block).range(line.from))
        for (const mark of markLine(line.text, line.number, block))
          drawn.push(marks[mark.as].range(line.from + mark.from, line.from + mark.to))
      }
      at = line.to + 1
    }
  }
  return Decoration.set(drawn, true)
}

const plugin = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = draw(view)
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged) this.decorations = draw(update.view)
    }
  },
  { decorations: (drawn) => drawn.decorations },
)

export const runbookMarks: Extension = [blocksField, plugin]
