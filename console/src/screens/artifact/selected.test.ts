// What a frame tells is taken only in the form that the service's own script gives it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFrameNews } from './selected.ts'

const selected = {
  selector: 'main:nth-child(2)',
  label: 'Runs',
  tag_name: 'h2',
  text: 'Runs',
  outer_html: '<h2>Runs</h2>',
}

test('an element that was selected is taken without anything else', () => {
  assert.deepEqual(readFrameNews({ runyard: 'artifact', selected: { ...selected, more: 1 } }), {
    kind: 'selected',
    selected,
  })
})

test('what is not of the script, not whole or too long is left out', () => {
  const bad = [
    null,
    'runyard',
    {},
    { runyard: 'artifact' },
    { runyard: 'other', selected },
    { runyard: 'artifact', selected: null },
    { runyard: 'artifact', selected: { ...selected, label: 3 } },
    { runyard: 'artifact', selected: { ...selected, outer_html: 'x'.repeat(50_001) } },
  ]
  for (const one of bad) assert.equal(readFrameNews(one), undefined, JSON.stringify(one).slice(0, 60))
})
