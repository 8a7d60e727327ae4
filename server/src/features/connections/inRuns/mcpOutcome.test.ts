// What an MCP server answered: pictures are files of the workspace, and a model that sees is shown them.
import assert from 'node:assert/strict'
import { pdf, png } from '../../../../test/kit/seenFiles.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { scrubberOf } from '../../../base/knownSecrets.ts'
import { mcpOutcome } from './mcpOutcome.ts'

const block = (mimeType: string, bytes: Buffer) => ({ type: 'image', mimeType, data: bytes.toString('base64') })

proves('runs.seen', 'what a server of tools answers is shown by its bytes, whatever type the server gives', () => {
  const content = [
    { type: 'text', text: 'Three files.' },
    block('image/png', Buffer.from('<html>')),
    block('text/plain', png(20, 10)),
    { type: 'resource', resource: { uri: 'x', mimeType: 'application/pdf', blob: pdf(2).toString('base64') } },
  ]
  const answer = { is_error: false, content, structured_content: null }
  const { shows, writes } = mcpOutcome(answer, scrubberOf([]), { step: 4, connectionName: 'Files' })
  assert.equal(writes?.length, 3)
  assert.deepEqual(
    shows?.map(({ name, media_type, width, pages }) => [name, media_type, width, pages]),
    [
      ['/workspace/.results/step-4-3.txt', 'image/png', 20, null],
      ['/workspace/.results/step-4-4.pdf', 'application/pdf', null, 2],
    ],
  )
})
