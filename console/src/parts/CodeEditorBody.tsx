// The editor itself: CodeMirror. It is loaded when one is first shown.
import { closeBrackets } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder as hint,
} from '@codemirror/view'
import { useEffect, useEffectEvent, useRef } from 'react'
import style from './CodeEditor.module.css'
import { languageOf, type CodeLanguage } from './codeLanguage.ts'
import { codeLook } from './codeLook.ts'
import { changeOf } from './textChange.ts'

export interface CodeEditorBodyProps {
  /** What it is, for screen readers: `Procedure`. */
  label: string
  value: string
  /** Without it nothing can be changed. */
  onChange?: ((value: string) => void) | undefined
  language: CodeLanguage
  /** More of CodeMirror, such as problems at their lines. Must be the same array until it changes. */
  extensions?: Extension
  readOnly: boolean
  placeholder?: string
  /** Called with the view when it is there, for those who move its selection. */
  onReady?: (view: EditorView) => void
}

export default function CodeEditorBody(props: CodeEditorBodyProps) {
  const { label, value, language, extensions = none, placeholder = '' } = props
  const isLocked = props.readOnly || !props.onChange
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const changing = useRef({ language: new Compartment(), lock: new Compartment(), more: new Compartment() })
  const begin = useEffectEvent(() => ({ value, extensions, isLocked, language }))
  const change = useEffectEvent((next: string) => next !== value && props.onChange?.(next))
  const ready = useEffectEvent((made: EditorView) => props.onReady?.(made))

  useEffect(() => {
    if (!place.current) return undefined
    const { language: inLanguage, lock, more } = changing.current
    const first = begin()
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.value,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          // Tab leaves the editor: a keyboard must not be caught in it
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) change(update.state.doc.toString())
          }),
          hint(placeholder),
          codeLook,
          inLanguage.of(languageOf(first.language)),
          lock.of(locked(first.isLocked)),
          more.of(first.extensions),
        ],
      }),
    })
    view.current = made
    ready(made)
    return () => {
      made.destroy()
      view.current = undefined
    }
  }, [label, placeholder])

  useEffect(() => {
    const { language: inLanguage, lock, more } = changing.current
    view.current?.dispatch({
      effects: [
        inLanguage.reconfigure(languageOf(language)),
        lock.reconfigure(locked(isLocked)),
        more.reconfigure(extensions),
      ],
    })
  }, [language, isLocked, extensions])

  // a text from elsewhere keeps the place of the cursor where it can
  useEffect(() => {
    const changes = view.current && changeOf(view.current.state.doc.toString(), value)
    if (changes) view.current?.dispatch({ changes })
  }, [value])

  return <div ref={place} className={style.body} />
}

const none: Extension = []

const locked = (isLocked: boolean): Extension => [EditorState.readOnly.of(isLocked), EditorView.editable.of(!isLocked)]
