// Keys typed before a field is there: letters are kept in their order, and keys with Ctrl stay what they are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectKeys } from './earlyKeys.ts'

function press(target: EventTarget, key: string, more: object = {}): Event {
  const event = Object.assign(new Event('keydown', { cancelable: true }), { key, ...more })
  target.dispatchEvent(event)
  return event
}

void test('letters, corrections and Enter are kept, and others do not get them', () => {
  const target = new EventTarget()
  const early = collectKeys(target, () => assert.fail('nobody pressed Escape'))
  for (const key of ['Enter', 'r', 'u', 'm', 'Backspace', 'n', ' ', '7']) {
    assert.equal(press(target, key).defaultPrevented, true, key)
  }
  assert.deepEqual([early.text(), early.isSent()], ['run 7', false])
  press(target, 'Enter')
  assert.equal(early.isSent(), true)
  early.stop()
  assert.equal(press(target, 'x').defaultPrevented, false)
  assert.equal(early.text(), 'run 7')
})

void test('Escape closes, and keys with Ctrl or without a letter are left alone', () => {
  const target = new EventTarget()
  let closed = 0
  const early = collectKeys(target, () => (closed += 1))
  assert.equal(press(target, 'k', { ctrlKey: true }).defaultPrevented, false)
  assert.equal(press(target, 'Shift').defaultPrevented, false)
  press(target, 'Escape')
  assert.deepEqual([early.text(), closed], ['', 1])
})
