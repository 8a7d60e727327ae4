// Which paths lead into a workspace, and that none of the others does.
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { workspacePath } from './workspacePath.ts'

// proves workspace.paths
test('paths relative to the workspace and absolute ones below it come out in one spelling', () => {
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

/** Roads out from anywhere. */
const roads = [
  '..',
  '../',
  '../x',
  '../../etc/passwd',
  'a/..',
  'a/../..',
  'a/../../etc/passwd',
  'a/b/../../../x',
  './..',
  './../x',
  '.../x',
  '....//....//etc',
  '. ./x',
  '.. /x',
  ' ../x',
  '..\u00a0/x',
  '.\u200b./x',
  '\u202e../x',
  '.\u00ad./x',
  '\uff0e\uff0e/x',
  '\uff0e./x',
  '\u2025/x',
  '\u2024\u2024/x',
  'a/\u2026/x',
  'a\uff0fb',
  '..\uff0fetc\uff0fpasswd',
  'a\uff3cb',
  '\u2100/x',
  'C:\\Windows\\x',
  '\\\\server\\share',
  '..\\x',
  'a\\..\\..\\x',
  'a\\b',
  '%2e%2e/x',
  '%2e%2e%2fx',
  '..%2fx',
  '%2E%2E/x',
  '.%2e/x',
  '%2e./x',
  'a%2fb',
  'a%5cb',
  'a%00b',
  '%252e%252e%252fx',
  '%25252e%25252e/x',
  '..%252fx',
  '..%255cx',
  'a%2500',
  '%2fetc%2fpasswd',
]

/** Other places to start from. */
const starts = [
  '/workspace/..',
  '/workspace/../etc/passwd',
  '/workspace/a/../../x',
  '/workspace/./../x',
  '/workspace//../x',
  '/',
  '//',
  '/etc/passwd',
  '//etc/passwd',
  '//workspace/x',
  '/./workspace/x',
  '/workspacex',
  '/workspace2/x',
  '/workspace..',
  '/workspace../x',
  '/Workspace/x',
  '/WORKSPACE/x',
  '/work',
  '/proc/self/environ',
  '/dev/null',
  '/tmp/x',
  '/root/.ssh/id_rsa',
  '~',
  '~/x',
  './~/.ssh/id_rsa',
  '/workspace/~/x',
  'file:///etc/passwd',
  'file:/etc/passwd',
  'https://example.com/x',
  'C:/Windows/x',
  'c:/x',
  '/workspace\\..\\x',
]

const unprintable = ['\u0000', '\u0001', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029', '\ud800']

const hostile = [
  ...starts,
  ...roads,
  ...roads.map((road) => `deep/er/${road}`),
  ...roads.map((road) => `/workspace/${road}`),
  ...unprintable.flatMap((bad) => [bad, `a${bad}b/c`, `/workspace/${bad}x`, `a.txt${bad}.png`]),
  'x'.repeat(1025),
  'x'.repeat(256),
  `a/${'é'.repeat(128)}`,
  'd/'.repeat(65),
]

// proves workspace.paths
test('a path that leads out of the workspace, or might in other hands, is refused with a sentence', () => {
  assert.ok(hostile.length > 150 && hostile.length <= 300, String(hostile.length))
  for (const path of hostile) {
    const checked = workspacePath(path)
    assert.ok('problem' in checked, JSON.stringify(path))
    assert.match(checked.problem, /^The path .+ Write it relative to \/workspace/)
  }
})

// proves workspace.paths
test('whatever is taken stays below the workspace when a file system reads it', () => {
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
