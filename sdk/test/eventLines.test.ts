// Events out of bytes that were cut anywhere.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { EventLines, type ServerSentEvent } from '../src/eventLines.ts'

const text = [
  'id: 7\nevent: start\ndata: {"position":7}\n\n',
  ': heartbeat\n\n',
  'id: 8\r\nevent: run.started\r\ndata: {"a":\r\ndata: 1}\r\n\r\n',
  'id: 9\n: heartbeat\n\n',
  'data: no name, no id\n\n',
].join('')

const whole: ServerSentEvent[] = [
  { id: '7', event: 'start', data: '{"position":7}' },
  { id: '8', event: 'run.started', data: '{"a":\n1}' },
  { id: '9', event: 'message', data: 'no name, no id' },
]

proves('sdk.streams', 'a stream that is cut between any two characters gives the same events', () => {
  for (let at = 0; at <= text.length; at += 1) {
    const lines = new EventLines()
    assert.deepEqual([...lines.take(text.slice(0, at)), ...lines.take(text.slice(at))], whole, `cut at ${at}`)
  }
  const lines = new EventLines()
  assert.deepEqual(
    text.split('').flatMap((character) => lines.take(character)),
    whole,
  )
})

proves('sdk.streams', 'an event that is not whole is not given, and its id does not count', () => {
  const lines = new EventLines()
  assert.deepEqual(lines.take('id: 1\ndata: a\n\nid: 2\ndata: b\n'), [{ id: '1', event: 'message', data: 'a' }])
  assert.equal(lines.lastEventId, '1')
})
