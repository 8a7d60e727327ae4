// Every template is a procedure that the service accepts as it stands.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRunbook } from '../../../../server/src/drivers/model/runbook/parse.ts'
import { templates } from './templates.ts'

for (const { id, name, procedure } of templates) {
  test(`the template ${id} has steps and no mistakes`, () => {
    const { blocks, problems } = parseRunbook(procedure)
    assert.deepEqual(problems, [])
    assert.ok(blocks.length >= 2)
    assert.ok(name.length <= 100)
  })
}
