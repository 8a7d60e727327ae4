// The input of a run: text or JSON.
import { Field, TextArea } from '../../parts/Field.tsx'
import { inOtherKind, type MessageDraft } from './message.ts'
import style from './StartRun.module.css'

interface MessageFieldProps {
  draft: MessageDraft
  problem: string | undefined
  onChange: (draft: MessageDraft) => void
}

export function MessageField({ draft, problem, onChange }: MessageFieldProps) {
  return (
    <div className={style.message}>
      <div className={style.kinds} role="group" aria-label="Form of the input">
        {(['text', 'json'] as const).map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={draft.kind === kind}
            onClick={() => draft.kind !== kind && onChange(inOtherKind(draft))}
          >
            {kind === 'text' ? 'Text' : 'JSON'}
          </button>
        ))}
      </div>
      <Field label="Input" problem={problem}>
        <TextArea
          rows={draft.kind === 'json' ? 8 : 5}
          spellCheck={draft.kind === 'text'}
          className={draft.kind === 'json' ? 'mono' : undefined}
          placeholder={draft.kind === 'text' ? 'What the agent shall do, in your words' : '{"invoice": 4711}'}
          value={draft.text}
          onChange={(event) => onChange({ ...draft, text: event.target.value })}
        />
      </Field>
    </div>
  )
}
