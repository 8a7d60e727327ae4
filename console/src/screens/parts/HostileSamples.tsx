// Text that somebody pastes here is shown by every part that shows text of strangers. Tests of hostile texts use it.
import { useState } from 'react'
import { Field, TextArea } from '../../parts/Field.tsx'
import { Json } from '../../parts/Json.tsx'
import { Markdown } from '../../parts/Markdown.tsx'
import { Slip } from '../../parts/Slip.tsx'
import { Sample } from './Sample.tsx'
import { Filled } from './SchemaFormSamples.tsx'

function read(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

export function HostileSamples() {
  const [text, setText] = useState('')
  const value = read(text)
  return (
    <>
      <Field label="Hostile text" hint="JSON is also read as arguments and as a schema.">
        <TextArea value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
      <Sample name="Markdown">
        <Markdown text={text} />
      </Sample>
      <Sample name="Json">
        <Json value={value} />
      </Sample>
      <Sample name="Slip">
        <Slip action={{ tool: text, arguments: value, hash: text }} />
        <Slip
          action={{
            tool: 'http_request',
            arguments: { url: text, method: text, connection: text, headers: { [text]: text }, body: text },
          }}
        />
      </Sample>
      <Sample name="SchemaForm">
        <Filled key={text} schema={value} />
        <Filled
          key={`${text}-words`}
          schema={{
            type: 'object',
            properties: {
              [text]: { type: 'string', title: text, description: text, default: text },
              choice: { enum: [text, 'b'], title: text },
              list: {
                type: 'array',
                items: { type: 'object', title: text, properties: { a: { type: 'string', title: text } } },
              },
            },
          }}
        />
      </Sample>
    </>
  )
}
