// Skills: uploaded, changed, versioned, used by runs, deleted.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { readZip, writeZip } from '../../base/zipFile.ts'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { driversUnderTest } from '../../../test/kit/sandboxDrivers.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp, type TestApp } from '../../../test/kit/testApp.ts'
import { readFrontMatter } from './frontMatter.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const models = { anthropicKey: 'sk-ant-1234567890', anthropicUrl: provider.url }
const service = await testApp({ config: { sandbox: 'just_bash', ...models } })
const team = await seedTeam(service)
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const skillText = (name: string, description = 'Greets people.') =>
  `---\nname: ${name}\ndescription: ${description}\n---\nRun scripts/greet.sh with the name.\n`
const file = (path: string, text: string, is_executable = false) => ({ path, bytes: Buffer.from(text), is_executable })
const greeting = file(
  'scripts/greet.sh',
  '#!/bin/bash\necho "Hello $1, from $(cat "$(dirname "$0")/../place.txt")"\n',
  true,
)
const archiveOf = (name: string) => writeZip([file('SKILL.md', skillText(name)), greeting, file('place.txt', 'here')])

const uploaded = (archive: Buffer, by = team) =>
  by.call('POST /v2/teams/:teamId/skills/upload', { body: { archive: archive.toString('base64') } })

proves('skills.upload', 'an archive becomes a skill, and its download is the same archive', async () => {
  const made = await uploaded(archiveOf('greeter'))
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(
    [made.body.skill.name, made.body.skill.description, made.body.skill.version],
    ['greeter', 'Greets people.', 1],
  )
  const { body } = await team.call(`GET /v2/skills/${made.body.skill_id}`)
  assert.deepEqual(
    body.files.map((one: { path: string; is_executable: boolean }) => [one.path, one.is_executable]),
    [
      ['SKILL.md', false],
      ['place.txt', false],
      ['scripts/greet.sh', true],
    ],
  )
  const { bytes } = await team.call(`GET /v2/skills/${made.body.skill_id}/download`)
  const files = await readZip(bytes, { entriesMax: 10, bytesMax: 10_000 })
  assert.deepEqual(
    files.map(({ path }) => path),
    ['SKILL.md', 'place.txt', 'scripts/greet.sh'],
  )
  const folded = writeZip([file('my-folder/SKILL.md', skillText('folded')), file('my-folder/a.txt', 'a')])
  assert.equal((await uploaded(folded)).body.skill.name, 'folded')
})

proves('skills.hostile', 'an archive with a hostile path is refused as a whole', async () => {
  const { body: before } = await team.call('GET /v2/teams/:teamId/skills')
  const [counted] = await team.sql<{ n: number }>`select count(*) as n from skill_files`
  for (const path of ['../evil.sh', '/etc/cron.d/evil', 'a/../../evil', 'C:\\evil', 'scripts/../../x']) {
    const { status, body } = await uploaded(writeZip([file('SKILL.md', skillText('hostile')), file(path, 'evil')]))
    assert.deepEqual([status, body.error], [400, 'invalid_request'], path)
  }
  assert.equal((await team.call('GET /v2/teams/:teamId/skills')).body.total, before.total)
  assert.deepEqual((await team.sql`select count(*) as n from skill_files`)[0], counted)
})

proves(
  'skills.frontMatter',
  'a skill without a name and a description in SKILL.md is refused with the reason',
  async () => {
    const refusals: [string, RegExp][] = [
      ['no front matter', /must begin with a line ---/],
      ['---\nname: Big Name\ndescription: x\n---\n', /small letters, digits and hyphens/],
      ['---\nname: fine\n---\n', /description in SKILL\.md/],
      ['---\nname: [fine\n---\n', /not YAML/],
      ['---\na: &a [1]\nname: *a\n---\n', /SKILL\.md/],
      [`---\nname: fine\ndescription: ${'x'.repeat(1100)}\n---\n`, /at most 1024/],
    ]
    for (const [text, reason] of refusals) {
      const read = readFrontMatter(text)
      assert.match('problem' in read ? read.problem : '', reason, text)
    }
    const { status } = await team.call('POST /v2/teams/:teamId/skills', { body: { content: 'nothing' } })
    assert.equal(status, 400)
    assert.equal((await uploaded(writeZip([file('readme.md', 'x')]))).status, 400)
  },
)

proves('skills.versions', 'every change makes a version, and a build may name an older one', async () => {
  const { body } = await uploaded(archiveOf('versioned'))
  const id: string = body.skill_id
  const changed = await team.call(`PUT /v2/skills/${id}/files/place.txt`, { body: { content: 'there' } })
  assert.equal(changed.body.skill.version, 2)
  const removed = await team.call(`DELETE /v2/skills/${id}/files/scripts/greet.sh`)
  assert.equal(removed.body.skill.version, 3)
  assert.equal((await uploaded(archiveOf('versioned'))).body.skill.version, 4)
  const { body: versions } = await team.call(`GET /v2/skills/${id}/versions`)
  assert.deepEqual(
    versions.versions.map((one: { version: number; files: number }) => [one.version, one.files]),
    [
      [4, 3],
      [3, 2],
      [2, 3],
      [1, 3],
    ],
  )
  const old = await team.call(`GET /v2/skills/${id}/files/place.txt?version=2`)
  assert.equal(old.body.content, 'there')
  const procedure =
    block('bash id=sh', 'cat /skills/versioned/place.txt') + block('output', '{{ steps.sh.output.stdout }}')
  const run = await startRun(team, await seedAgent(team, procedure, { skills: ['versioned@2'] }))
  await drainRuns(service)
  assert.equal((await readRun(team, run)).output, 'there')
})

for (const { name, skip } of await driversUnderTest()) {
  proves('skills.inRuns', `a run reads a skill and runs its script in the driver ${name}`, { skip }, async () => {
    const app: TestApp = name === 'just_bash' ? service : await testApp({ config: { sandbox: name } })
    const own = name === 'just_bash' ? team : await seedTeam(app)
    await uploaded(archiveOf('runs-it'), own)
    const procedure = [
      block('tool id=read name=skill_read', '{"skill": "runs-it"}'),
      block(
        'bash id=sh',
        '/skills/runs-it/scripts/greet.sh Ada; touch /skills/runs-it/new; rm -f /skills/runs-it/place.txt; ls /skills/runs-it',
      ),
      block('output', '{"text": {{ steps.read.output.content }}, "said": {{ steps.sh.output.stdout }}}'),
    ].join('')
    const run = await startRun(own, await seedAgent(own, procedure, { skills: ['runs-it'] }))
    await drainRuns(app)
    const { status, output, error } = await readRun(own, run)
    assert.equal(status, 'completed', JSON.stringify(error))
    assert.deepEqual(output, {
      text: skillText('runs-it'),
      said: 'Hello Ada, from here\nSKILL.md\nplace.txt\nscripts\n',
    })
  })
}

proves('skills.seen', 'a model sees the names and descriptions, and the rest only when it reads', async () => {
  await uploaded(archiveOf('seen'))
  provider.answer({ calls: [{ name: 'skill_read', arguments: { skill: 'seen' } }] }, { text: 'done' })
  const data = { skills: ['seen'], models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } }
  const run = await startRun(team, await seedAgent(team, 'Greet Ada.', data), { message: 'go' })
  await drainRuns(service)
  assert.equal((await readRun(team, run)).status, 'completed')
  const [first, second] = provider.requests.slice(-2).map(({ body }) => JSON.stringify(body))
  assert.ok(first!.includes('seen: Greets people.') && !first!.includes('Run scripts/greet.sh'))
  assert.ok(second!.includes('Run scripts/greet.sh'))
})

proves('secrets.deleted', 'deleting a skill answers which agents used it, in whatever version', async () => {
  const { body } = await uploaded(archiveOf('gone'))
  const agent = await seedAgent(team, block('bash', 'true'), { skills: ['gone@1'] })
  const dependents = await team.call(`GET /v2/skills/${body.skill_id}/dependents`)
  const gone = await team.call(`DELETE /v2/skills/${body.skill_id}`)
  assert.deepEqual(gone.body, { success: true, ...dependents.body })
  assert.deepEqual(
    gone.body.agents.map((one: { id: string }) => one.id),
    [agent],
  )
})
