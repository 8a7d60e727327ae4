// Which paths lead into a workspace, and that none of the others does.
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { hostilePaths } from '../../../../test/hostilePaths.ts'
import { workspacePath } from './workspacePath.ts'
import { proves } from '../../../../test/kit/proves.ts'

proves('workspace.paths', 'paths relative to the workspace and absolute ones below it come out in one spelling', () => {
  const same: [string, string][] = [
    ['a.txt', '/workspace/a.txt'],
    ['/workspace/a.txt', '/workspace/a.txt'],
    ['./out//report.md', '/workspace/out/report.md'],
    ['/workspace//a/./b/', '/workspace/a/b'],
    ['workspace/a', '/workspace/workspace/a'],
    ['.env', '/workspace/.env'],
    ['..name/...x', '/workspace/..name/...x'],
    ['100% sure.txt', '/workspace/100% sure.txt'],
    ['a~/~b', '/workspace/a~/~b'],
    ['日本/été 😀.md', '/workspace/日本/été 😀.md'],
    ['a:b', '/workspace/a:b'],
    ['', '/workspace'],
    ['.', '/workspace'],
    ['/workspace', '/workspace'],
    ['/workspace/', '/workspace'],
  ]
  for (const [text, path] of same) assert.deepEqual(workspacePath(text), { path }, text)
})

proves(
  'workspace.paths',
  'a path that leads out of the workspace, or might in other hands, is refused with a sentence',
  () => {
    assert.ok(hostilePaths.length >= 300, String(hostilePaths.length))
    for (const path of hostilePaths) {
      const checked = workspacePath(path)
      assert.ok('problem' in checked, JSON.stringify(path))
      assert.match(checked.problem, /^The path .+ Write it relative to \/workspace/)
    }
  },
)

proves('workspace.paths', 'whatever is taken stays below the workspace when a file system reads it', () => {
  const parts = ['a', '..', '.', '', '/workspace', '%2e%2e', '.. ', '~', '\uff0e\uff0e', 'b.txt']
  for (const one of parts) {
    for (const two of parts) {
      for (const three of parts) {
        const checked = workspacePath([one, two, three].join('/'))
        if ('problem' in checked) continue
        assert.equal(posix.normalize(checked.path), checked.path)
        assert.ok(checked.path === '/workspace' || checked.path.startsWith('/workspace/'))
      }
    }
  }
})
