// Everything of a config but its procedure, as JSON. What is typed counts as soon as it can be read.
import { useState } from 'react'
import { Button } from '../../../parts/Button.tsx'
import { CodeEditor } from '../../../parts/CodeEditor.tsx'
import { Dialog } from '../../../parts/Dialog.tsx'
import { Problem } from '../../../parts/Field.tsx'
import { useDraft } from '../draft/DraftProvider.tsx'
import { restOf, withRest } from './settings.ts'
import style from './SettingsPanel.module.css'

export function SettingsJson({ isReadOnly, onClose }: { isReadOnly: boolean; onClose: () => void }) {
  const { working, copy, checked } = useDraft()
  const [text, setText] = useState(() => restOf(working.config))
  const read = withRest(working.config, text)
  const problems = checked?.answer.config_problems ?? []
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Settings as JSON"
      width="wide"
      actions={
        <Button kind="go" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className={style.json}>
        <p>
          <code>data</code> without <code>input</code>. What a form does not know is kept: <code>output_schema</code>,{' '}
          <code>options</code>, and keys of your own.
        </p>
        <CodeEditor
          label="Settings as JSON"
          language="json"
          value={text}
          readOnly={isReadOnly}
          isInvalid={!read}
          onChange={(typed) => {
            setText(typed)
            const next = withRest(working.config, typed)
            if (next) copy.edit(next)
          }}
        />
        {!read && <Problem>This is not a JSON object yet, so the settings are still as before.</Problem>}
        {problems.map(({ path, message }) => (
          <Problem key={path + message}>
            {path}: {message}
          </Problem>
        ))}
      </div>
    </Dialog>
  )
}
