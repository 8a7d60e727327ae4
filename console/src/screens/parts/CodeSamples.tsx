// Editors and diffs.
import { useState } from 'react'
import { CodeEditor } from '../../parts/CodeEditor.tsx'
import { Diff } from '../../parts/Diff.tsx'
import { Sample } from './Sample.tsx'

const before = Array.from({ length: 40 }, (_, at) => `Line ${at + 1} of the procedure.`).join('\n')
const after = before
  .replace('Line 12 of', 'Line twelve of')
  .replace('Line 30 of the procedure.\n', '')
  .replace('Line 5', 'A new line\nLine 5')
const procedure =
  '# Refund an order\n\nRead the **claim** in `claim.json`, see [the policy](https://example.com).\n\n```http id=refund\nPOST https://payments.example.com/refunds\n\n{"order": 1}\n```\n\n- one\n- two\n'

export function CodeSamples() {
  const [text, setText] = useState(procedure)
  const [data, setData] = useState('{\n  "order": "88214",\n  "amount": 412.5,\n  "isPaid": true\n}')
  return (
    <>
      <Sample name="Markdown">
        <CodeEditor label="Procedure" language="markdown" value={text} onChange={setText} />
      </Sample>
      <Sample name="JSON, invalid">
        <CodeEditor label="Message" language="json" value={data} onChange={setData} isInvalid />
      </Sample>
      <Sample name="Only to read">
        <CodeEditor label="Result" value="Nothing can be changed here." readOnly />
      </Sample>
      <Sample name="Diff">
        <Diff label="Build 11 and build 12" before={before} after={after} />
      </Sample>
      <Sample name="Diff, side by side">
        <Diff label="Build 11 and build 13" before={before} after={after} mode="split" />
      </Sample>
    </>
  )
}
