// What changed between two builds, for people: pure.
import { isDeepStrictEqual } from 'node:util'
import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from 'diff'
import { parseBuildConfig } from '../../../engine/builds/buildConfig.ts'
import { named, oneOf, Type, type Static } from '../../../kit/schema.ts'
import type { Build } from './build.ts'

export const ConfigChanges = Type.Object({
  path: Type.String({ description: 'A JSON pointer.', examples: ['/data/limits/max_steps'] }),
  kind: oneOf(['added', 'removed', 'changed']),
  before: Type.Unknown(),
  after: Type.Unknown(),
})

export const BuildDiff = named(
  'BuildDiff',
  Type.Object({
    procedure: Type.String({ description: 'A unified diff; empty when nothing changed.' }),
    config: Type.Array(ConfigChanges),
  }),
)

type Compared = Pick<Build, 'config' | 'revision_number'>

interface ConfigChange {
  /** A JSON pointer (RFC 6901). */
  path: string
  kind: 'added' | 'removed' | 'changed'
  before: unknown
  after: unknown
}

/**
 * Finding the shortest list of edits costs their number squared, and a request may not hold the others up: past this many
 * the changed part is shown as replaced whole. (200 edits in 60,000 lines: 40 ms; without a bound: minutes.)
 */
const editsMax = 200

export const diffBuilds = (before: Compared | undefined, after: Compared): Static<typeof BuildDiff> => ({
  procedure: diffProcedures(before, after),
  config: diffConfigs(before, after),
})

/** Unified, with headers that name the revisions; empty when the procedures are the same. */
export function diffProcedures(before: Compared | undefined, after: Compared): string {
  return diffTexts(
    { name: before ? `revision ${before.revision_number}` : 'nothing', text: before ? procedureOf(before) : '' },
    { name: `revision ${after.revision_number}`, text: procedureOf(after) },
  )
}

interface NamedText {
  name: string
  text: string
}

export function diffTexts({ name: fromName, text: from }: NamedText, { name: toName, text: to }: NamedText): string {
  if (from === to) return ''
  const options = { maxEditLength: editsMax, headerOptions: FILE_HEADERS_ONLY }
  return (
    createTwoFilesPatch(fromName, toName, from, to, undefined, undefined, options) ??
    formatPatch(replacedWhole(fromName, toName, from, to), FILE_HEADERS_ONLY)
  )
}

const procedureOf = ({ config }: Compared): string => parseBuildConfig(config).procedure

/** One hunk: what stands between the lines that both begin and both end with. */
function replacedWhole(oldFileName: string, newFileName: string, from: string, to: string) {
  const [old, now] = [linesOf(from), linesOf(to)]
  let start = 0
  while (start < old.length && old[start] === now[start]) start += 1
  let same = 0
  while (same < Math.min(old.length, now.length) - start && old.at(-1 - same) === now.at(-1 - same)) same += 1
  const removed = old.slice(start, old.length - same)
  const added = now.slice(start, now.length - same)
  const lines = [...removed.flatMap((line) => marked('-', line)), ...added.flatMap((line) => marked('+', line))]
  const hunk = { oldStart: start + 1, oldLines: removed.length, newStart: start + 1, newLines: added.length, lines }
  return { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] }
}

/** With their ends, so that a last line without one differs from the same line with one. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

const marked = (mark: '-' | '+', line: string): string[] =>
  line.endsWith('\n') ? [mark + line.slice(0, -1)] : [mark + line, '\\ No newline at end of file']

/** Key by key; a list is one value. The procedure is left out where it is text, since the other diff shows it. */
export function diffConfigs(before: Compared | undefined, after: Compared): ConfigChange[] {
  const [from, to] = [before?.config ?? {}, after.config] as [Record<string, unknown>, Record<string, unknown>]
  const changes: ConfigChange[] = []
  compare(from, to, '', changes)
  return changes.filter(({ path, before: old, after: now }) => path !== '/data/input' || ![old, now].every(isText))
}

const isText = (value: unknown): boolean => value === null || typeof value === 'string'

function compare(from: Fields, to: Fields, path: string, changes: ConfigChange[]): void {
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const place = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const [isOld, isNew] = [Object.hasOwn(from, key), Object.hasOwn(to, key)]
    const [old, now] = [from[key], to[key]]
    if (isOld && isNew && isFields(old) && isFields(now)) compare(old, now, place, changes)
    else if (!isOld) changes.push({ path: place, kind: 'added', before: null, after: now })
    else if (!isNew) changes.push({ path: place, kind: 'removed', before: old, after: null })
    else if (!isDeepStrictEqual(old, now)) changes.push({ path: place, kind: 'changed', before: old, after: now })
  }
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
