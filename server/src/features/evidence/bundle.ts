// Makes an evidence bundle: the files of its runs, the page that people read, and the manifest that is signed.
import { folderOf } from '../../base/evidence/manifest.ts'
import { writeBundle } from '../../base/evidence/writeBundle.ts'
import { teamShare } from '../../base/fairPool.ts'
import { jsonFile, type EvidenceFile } from '../../kit/evidence.ts'
import { runningPart } from '../../kit/runningPart.ts'
import { createSharedPool } from '../../kit/sharedPools.ts'
import { keyInUse } from './keys.ts'
import { report } from './report.ts'
import { filesOfRun, mayReadMembers, type AskedBundle, type Section } from './runFiles.ts'

interface Subject {
  kind: 'run' | 'case'
  id: string
  /** What people call it. */
  name: string
}

/** How many bundles a process makes at a time: each reads a log from its beginning to its end. */
const bundlesMax = 4
/** How many bundles of a team wait for their turn, and for how long. */
const waitingMax = 20
const waitMaxMs = 30_000

export const bundlePoolOf = runningPart('bundles', (context) =>
  createSharedPool(context, {
    name: 'evidence bundles',
    size: bundlesMax,
    perTeam: teamShare(bundlesMax, context.config.teamShare),
    waitingMax,
    waitMaxMs,
  }),
)

/**
 * The bundle, made while it is sent. It is complete when its last piece has come: the manifest is at the end. Whoever finds no free slot is
 * refused before the first byte.
 */
export async function* bundle(
  asked: Omit<AskedBundle, 'leftOut'>,
  subject: Subject,
  runIds: string[],
  others: EvidenceFile[],
): AsyncGenerator<Buffer> {
  const { context, sql, teamId } = asked
  const release = await bundlePoolOf(context).take(teamId)
  try {
    const erased = new Map<string, Section[]>()
    const leftOut = new Set<string>()
    const madeAt = new Date()
    const isWithMembers = mayReadMembers(asked)
    if (!isWithMembers) leftOut.add('members')
    async function* files(): AsyncGenerator<EvidenceFile> {
      yield { path: 'report.html', bytes: report(sql, { about: subject.name, runIds, madeAt, isWithMembers }) }
      yield* others
      for (const id of runIds) {
        const ofRun = filesOfRun({ ...asked, leftOut: (name) => leftOut.add(name) }, id, (gone) => erased.set(id, gone))
        for await (const file of ofRun) yield { ...file, path: `${folderOf(id)}${file.path}` }
      }
      if (leftOut.size > 0) yield jsonFile('left_out.json', { for_want_of_a_scope: [...leftOut] })
    }
    yield* writeBundle({
      files: files(),
      subject: { kind: subject.kind, id: subject.id },
      runs: () => runIds.map((id) => ({ id, folder: folderOf(id), erased: erased.get(id) ?? [] })),
      madeAt,
      key: await keyInUse(context, sql),
    })
  } finally {
    release()
  }
}
