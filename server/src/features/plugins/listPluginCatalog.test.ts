// The plugin catalogue: the words of a config, and the tools that this server can run.
import assert from 'node:assert/strict'
import { feature } from '../../kit/feature.ts'
import { Type } from '../../kit/schema.ts'
import { outsideTool } from '../../kit/tool.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import { proves } from '../../../test/kit/proves.ts'
import { listPluginCatalog } from './listPluginCatalog.ts'

proves(
  'plugins.catalog',
  'the built-in sets are listed, and what another feature brings is listed with its tools',
  async () => {
    const look = outsideTool({
      name: 'look',
      description: 'Look at something.',
      input: Type.Object({}),
      onDoubt: 'retry',
      leaves: 'never',
      timeoutMs: 1000,
      execute: async () => ({ result: 'far' }),
    })
    const telescope = feature({
      name: 'telescopes',
      toolSets: [
        { name: 'telescope', title: 'Telescope', description: 'See far.', tools: [look], provider: 'observatory' },
      ],
    })
    const service = await testApp({ features: [telescope] })
    const team = await seedTeam(service)
    const { plugins } = await typedClient(service, team).send(listPluginCatalog, {})
    const names = plugins.map(({ name }) => name)
    assert.deepEqual(names, [
      'memory',
      'sandbox',
      'browser',
      'human',
      'http',
      'schedule',
      'agents',
      'cases',
      'operations',
      'artifacts',
      'telescope',
    ])
    const sandbox = plugins.find(({ name }) => name === 'sandbox')
    assert.ok(sandbox)
    assert.deepEqual([sandbox.type, sandbox.requires_connection, sandbox.provider], ['built_in', false, null])
    assert.deepEqual(
      sandbox.tools.map(({ name }) => name),
      ['sandbox_exec', 'sandbox_write_file', 'sandbox_read_file', 'sandbox_list_files', 'sandbox_view_file'],
    )
    assert.match(sandbox.description, /^Run commands.*(bubblewrap|just-bash)/i)
    const native = plugins.at(-1)
    assert.ok(native)
    assert.deepEqual(native.tools, [{ name: 'look', description: 'Look at something.' }])
    assert.deepEqual([native.type, native.requires_connection, native.provider], ['native', true, 'observatory'])
  },
)
