// An editor of text, Markdown or JSON. Until it is loaded, a plain field stands there, and works.
import { lazy, Suspense } from 'react'
import { classes } from '../look/classes.ts'
import style from './CodeEditor.module.css'
import type { CodeEditorBodyProps } from './CodeEditorBody.tsx'

const Body = lazy(() => import('./CodeEditorBody.tsx'))

export type CodeEditorProps = Partial<CodeEditorBodyProps> &
  Pick<CodeEditorBodyProps, 'value' | 'label'> & {
    /** What is wrong with the text is said beside it; its edge shows it too. */
    isInvalid?: boolean
    /** Without an edge, where something around it has one. */
    isBare?: boolean
  }

/** It is as high as its text, or as the box that it is in where that box has a height. */
export function CodeEditor({ isInvalid, isBare, language = 'plain', readOnly = false, ...props }: CodeEditorProps) {
  const { value, label, onChange } = props
  const plain = (
    <textarea
      className={style.plain}
      aria-label={label}
      value={value}
      readOnly={readOnly || !onChange}
      spellCheck={false}
      onChange={(event) => onChange?.(event.target.value)}
    />
  )
  return (
    <div className={classes(style.editor, isBare && style.bare)} data-invalid={isInvalid || undefined}>
      <Suspense fallback={plain}>
        <Body language={language} readOnly={readOnly} {...props} />
      </Suspense>
    </div>
  )
}
