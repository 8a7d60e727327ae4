// The lines of a browser block, and which of the tools may be done again when nobody knows whether they were done.
import assert from 'node:assert/strict'
import type { OutsideTool } from '../../kit/tool.ts'
import { readLine, wordsOf } from './browserLine.ts'
import { browserTools } from './tools.ts'
import { proves } from '../../../test/kit/proves.ts'

proves('browser.lines', 'each line is one action, and an unknown one is refused with the list of actions', () => {
  assert.deepEqual(readLine('open https://a.example/?q=a b'), { kind: 'open', url: 'https://a.example/?q=a b' })
  assert.deepEqual(readLine('  click  Save all '), { kind: 'click', element: 'Save all' })
  assert.deepEqual(readLine('type Full name = a = b'), { kind: 'type', element: 'Full name', text: 'a = b' })
  assert.deepEqual(readLine('type Name ='), { kind: 'type', element: 'Name', text: '' })
  assert.deepEqual(readLine('read'), { kind: 'read' })
  assert.deepEqual(readLine('read Total'), { kind: 'read', element: 'Total' })
  assert.deepEqual(readLine('screenshot'), { kind: 'screenshot' })
  assert.deepEqual(readLine('login'), { kind: 'login', login: undefined })
  assert.deepEqual(readLine('login shop.example.com'), { kind: 'login', login: 'shop.example.com' })
  for (const line of [
    '',
    'open',
    'click ',
    'type Name',
    'type = x',
    'screenshot now',
    'login a b',
    'hover x',
    'Open https://a.example',
  ]) {
    const read = readLine(line)
    assert.ok('problem' in read, line)
    assert.match(read.problem, /is not a browser action\. There are: open URL; click Words;/)
  }
})

proves('browser.lines', 'the words of the timeline never hold what was typed', () => {
  assert.equal(wordsOf({ kind: 'type', element: 'Password', text: 'hunter2', submit: true }), 'type Password')
})

proves(
  'browser.doubt',
  'after a crash only what looks is done again, and a person is asked about what may have sent something',
  () => {
    const inputs: Record<string, object> = {
      browser_open: { url: 'https://a.example' },
      browser_click: { element: 'e1' },
      browser_type: { element: 'e1', text: 'x' },
      browser_select: { element: 'e1', value: 'x' },
      browser_press: { key: 'Enter' },
      browser_scroll: { to: 'down' },
      browser_wait: { seconds: 1 },
      browser_switch: { page: 1 },
      browser_do: { lines: ['open https://a.example', 'read', 'screenshot'] },
    }
    const askedAbout = browserTools.tools.filter((tool) => {
      const { onDoubt } = tool as unknown as OutsideTool
      assert.ok(typeof onDoubt === 'function')
      return onDoubt((inputs[tool.name] ?? {}) as never, undefined as never) === 'ask'
    })
    assert.deepEqual(
      askedAbout.map(({ name }) => name),
      ['browser_click', 'browser_type', 'browser_select', 'browser_press'],
    )
    const { onDoubt } = browserTools.tools.find(({ name }) => name === 'browser_do') as unknown as OutsideTool
    assert.equal(
      typeof onDoubt === 'function' && onDoubt({ lines: ['open https://a.example', 'click Buy'] }, undefined as never),
      'ask',
    )
  },
)
