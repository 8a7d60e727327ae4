// The diff itself: CodeMirror's. It is loaded when one is first shown.
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { languageOf, type CodeLanguage } from './codeLanguage.ts'
import { codeLook } from './codeLook.ts'
import type { DiffMode } from './Diff.tsx'

interface DiffBodyProps {
  before: string
  after: string
  language: CodeLanguage
  label: string
  mode: DiffMode
  /** Whether unchanged lines are there too. */
  isWhole: boolean
}

/** Texts may be large and have nothing in common: then the diff is coarse instead of late. */
const diffConfig = { scanLimit: 1000, timeout: 300 }
const folded = { margin: 3, minSize: 6 }

export default function DiffBody({ before, after, language, label, mode, isWhole }: DiffBodyProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!place.current) return undefined
    const shared = [
      lineNumbers(),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.lineWrapping,
      EditorState.phrases.of({ '$ unchanged lines': '$ lines are the same' }),
      codeLook,
      languageOf(language),
    ]
    const options = { diffConfig, gutter: true, highlightChanges: true, ...(!isWhole && { collapseUnchanged: folded }) }
    const parent = place.current
    const made =
      mode === 'split'
        ? new MergeView({
            a: { doc: before, extensions: [...shared, named(`${label}: before`)] },
            b: { doc: after, extensions: [...shared, named(`${label}: after`)] },
            parent,
            ...options,
          })
        : new EditorView({
            parent,
            doc: after,
            extensions: [
              ...shared,
              named(label),
              unifiedMergeView({ original: before, mergeControls: false, ...options }),
            ],
          })
    return () => made.destroy()
  }, [before, after, language, label, mode, isWhole])
  return <div ref={place} />
}

const named = (label: string): Extension => EditorView.contentAttributes.of({ 'aria-label': label })
