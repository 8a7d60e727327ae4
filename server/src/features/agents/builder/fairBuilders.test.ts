// Builder runs of several teams: a team that holds its share of a process's builder slots leaves one for the others.
import assert from 'node:assert/strict'
import { generate, newDraft, readBuilderRun } from '../../../../test/kit/builder.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { builderSlotsOf } from './advanceBuilder.job.ts'
import { procedureTemplate } from '../builds/procedureTemplate.ts'
import { proves } from '../../../../test/kit/proves.ts'

proves(
  'pools.builders',
  'while one team holds its share with builder runs that do not end, that of another is written',
  async () => {
    const service = await testApp()
    const noisy = await seedTeam(service)
    const quiet = await seedTeam(service)
    const slots = builderSlotsOf(service.context)
    const held = Array.from({ length: 10 }, () => slots.tryTake(noisy.id))
    assert.equal(held.filter(Boolean).length, 3)
    const prompt = 'Sort the invoices. Check every amount. Done when all are filed.'
    const late = await generate(noisy, (await newDraft(noisy, procedureTemplate)).buildId, { prompt })
    const soon = await generate(quiet, (await newDraft(quiet, procedureTemplate)).buildId, { prompt })
    await service.drain()
    assert.equal((await readBuilderRun(noisy, late)).status, 'pending')
    assert.equal((await readBuilderRun(quiet, soon)).status, 'review')
  },
)
