// Markdown of agents.
import { Markdown } from '../../parts/Markdown.tsx'
import { Sample } from './Sample.tsx'

const text = `# Refund of order 88214

The customer reports **two cracked legs** on a standing desk, delivered *9 days ago*. ~~Half~~ The full price goes back.

## What was checked

1. Three photos fit the claim
2. The [policy](https://example.com/policy) gives the full price within 14 days
   - also for desks
   - not for lamps

| Paid on | Amount | Note |
|---|--:|---|
| 2 November | 412.50 EUR | \`card\` |
| 9 November | 0.00 EUR | |

> The legs were packed without foam.

\`\`\`json
{"order": "88214", "amount": 412.5}
\`\`\`

---

![A photo](https://example.com/leg.jpg) and <b>no HTML</b>, see [https://bank.example](https://evil.example).`

export function MarkdownSamples() {
  return (
    <Sample name="A report">
      <Markdown text={text} />
    </Sample>
  )
}
