// The input of a run: a form made from what the procedure reads, or text, or JSON.
import type { ProcedureInputs } from '@runyard/sdk'
import { Field, TextArea } from '../../parts/Field.tsx'
import { SchemaForm, type Problems } from '../../parts/SchemaForm.tsx'
import { shownSchema } from './inputForm.ts'
import { inKind, kindsFor, type MessageDraft, type MessageKind } from './message.ts'
import style from './StartRun.module.css'

interface MessageFieldProps {
  draft: MessageDraft
  /** What the procedure reads; undefined: nobody knows. */
  inputs: ProcedureInputs | undefined
  problem: string | undefined
  problems: Problems | undefined
  onChange: (draft: MessageDraft) => void
}

const words: Record<MessageKind, string> = { form: 'Form', text: 'Text', json: 'JSON' }

export function MessageField({ draft, inputs, problem, problems, onChange }: MessageFieldProps) {
  const schema = inputs?.schema
  return (
    <div className={style.message}>
      <div className={style.kinds} role="group" aria-label="Form of the input">
        {kindsFor(schema).map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={draft.kind === kind}
            onClick={() => onChange(inKind(draft, kind, schema))}
          >
            {words[kind]}
          </button>
        ))}
      </div>
      {draft.kind === 'form' ? (
        <div role="group" aria-label="Input">
          <p className={style.label} aria-hidden="true">
            Input
          </p>
          <SchemaForm
            schema={schema && shownSchema(schema)}
            value={draft.value}
            onChange={(value) => onChange({ kind: 'form', value })}
            {...(problems && { problems })}
          />
          {inputs?.is_cut && <p className={style.note}>The procedure reads more fields. Write them as JSON.</p>}
        </div>
      ) : (
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
      )}
    </div>
  )
}
