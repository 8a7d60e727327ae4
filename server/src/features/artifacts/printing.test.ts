// Teams take turns for the pages that a process draws.
import assert from 'node:assert/strict'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { printFor } from './printing.ts'

const { context } = await testApp()

proves('pools.fair', 'a team that draws many pages leaves a slot to another team', async () => {
  const held = Promise.withResolvers<string>()
  const crowd = [1, 2, 3].map(() => printFor(context, 'crowded', () => held.promise))
  assert.equal(await printFor(context, 'small', async () => 'drawn'), 'drawn')
  held.resolve('late')
  assert.deepEqual(await Promise.all(crowd), ['late', 'late', 'late'])
})
