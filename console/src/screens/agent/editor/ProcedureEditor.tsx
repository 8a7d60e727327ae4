// The editor of a procedure: Markdown with blocks. It is loaded when somebody opens an agent.
import { autocompletion, completionKeymap, type CompletionContext } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { markdown, markdownKeymap } from '@codemirror/lang-markdown'
import { Annotation, Compartment, EditorState, Prec } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view'
import type { ProcedureProblem } from '@runyard/sdk'
import { useEffect, useEffectEvent, useImperativeHandle, useRef, type Ref } from 'react'
import { adoptStyles } from '../../../parts/adoptStyles.ts'
import { completionsAt, type KnownStep } from './completion.ts'
import type { Language } from './language.ts'
import { problemLines, setProblems } from './problemLines.ts'
import style from './ProcedureEditor.module.css'
import { runbookMarks } from './runbookMarks.ts'
import { theme } from './theme.ts'
import { typeOverSelection } from './typeOverSelection.ts'

export interface EditorHandle {
  /** Shows a line, counted from 1, and puts the cursor there. */
  goTo: (line: number) => void
}

interface EditorProps {
  text: string
  onChange: (text: string) => void
  problems: readonly ProcedureProblem[]
  steps: readonly KnownStep[]
  language: Language | undefined
  isReadOnly: boolean
  onSave: () => void
  onRun: () => void
  ref?: Ref<EditorHandle>
}

adoptStyles()

/** The text came from outside: nobody typed it. */
const fromOutside = Annotation.define<boolean>()

export default function ProcedureEditor(props: EditorProps) {
  const { text, problems, isReadOnly, ref } = props
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(null)
  const readOnly = useRef(new Compartment())

  const onChange = useEffectEvent((typed: string) => props.onChange(typed))
  const onKey = useEffectEvent((what: 'onSave' | 'onRun') => props[what]())
  const complete = useEffectEvent(({ state, pos, explicit }: CompletionContext) => {
    const found = props.language && completionsAt(state.doc.toString(), pos, props.language, props.steps)
    // without a key it appears only where something was begun
    if (!found || (!explicit && found.from === pos && !/[`.={| ]/.test(state.sliceDoc(pos - 1, pos)))) return null
    return { from: found.from, options: found.options, validFor: /^\w*$/ }
  })
  const begin = useEffectEvent(() => ({ doc: text, lock: locked(isReadOnly) }))

  useEffect(() => {
    const { doc, lock } = begin()
    const act = (what: 'onSave' | 'onRun') => () => {
      onKey(what)
      return true
    }
    const view = new EditorView({
      parent: place.current ?? undefined,
      state: EditorState.create({
        doc,
        extensions: [
          problemLines,
          lineNumbers(),
          highlightActiveLineGutter(),
          history(),
          drawSelection(),
          typeOverSelection,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'Procedure', spellcheck: 'false', autocapitalize: 'off' }),
          markdown({ completeHTMLTags: false }),
          autocompletion({ override: [complete], icons: false, activateOnTyping: true }),
          runbookMarks,
          theme,
          Prec.high(
            keymap.of([
              { key: 'Mod-Enter', run: act('onRun') },
              { key: 'Mod-s', run: act('onSave') },
            ]),
          ),
          keymap.of([...completionKeymap, ...markdownKeymap, ...historyKeymap, ...defaultKeymap]),
          readOnly.current.of(lock),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            if (docChanged && !transactions.some((one) => one.annotation(fromOutside))) onChange(state.doc.toString())
          }),
        ],
      }),
    })
    editor.current = view
    return () => view.destroy()
  }, [])

  useEffect(() => {
    const view = editor.current
    if (!view || view.state.doc.toString() === text) return
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      annotations: fromOutside.of(true),
    })
  }, [text])

  useEffect(() => editor.current?.dispatch({ effects: setProblems.of(problems) }), [problems])
  useEffect(() => {
    editor.current?.dispatch({ effects: readOnly.current.reconfigure(locked(isReadOnly)) })
  }, [isReadOnly])

  useImperativeHandle(ref, () => ({
    goTo(line) {
      const view = editor.current
      if (!view) return
      const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines))
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
      view.focus()
    },
  }))

  return <div ref={place} className={style.editor} />
}

const locked = (isReadOnly: boolean) => EditorState.readOnly.of(isReadOnly)
