// Checks a bundle for the command line, and says what it is about, by whose key, and whether all of it fits.
import { stat } from 'node:fs/promises'
import { verifyBundle, type Verdict } from '../../../server/src/base/evidence/verifyBundle.ts'
import { CommandFailed, exit, type Call } from '../command.ts'
import { readKeyFile } from './keyFile.ts'

export async function verifyFile({ positionals, values, out, signal }: Call<{ key?: string }>): Promise<number> {
  const [file = ''] = positionals
  if (!(await stat(file)).isFile()) throw new CommandFailed(`${file} is not a file.`)
  const keys = values.key === undefined ? undefined : await readKeyFile(values.key)
  const verdict = await verifyBundle(file, { signal, ...(keys && { keys }) })
  out.record(asJson(file, verdict), () => linesOf(verdict))
  return verdict.isTrue ? exit.done : exit.failed
}

const asJson = (file: string, verdict: Verdict): object => ({
  file,
  is_true: verdict.isTrue,
  problems: verdict.problems,
  problems_count: verdict.problemsCount,
  remarks: verdict.remarks,
  remarks_count: verdict.remarksCount,
  subject: verdict.subject,
  made_at: verdict.madeAt,
  key_id: verdict.keyId,
  is_given_key: verdict.isGivenKey,
  seal_key_ids: verdict.sealKeyIds,
  runs: verdict.runs,
  rows: verdict.rows,
  files: verdict.files,
  bytes: verdict.bytes,
})

function linesOf(verdict: Verdict): string[] {
  const facts: [string, string | null][] = [
    ['About', verdict.subject && `${verdict.subject.kind} ${verdict.subject.id}`],
    ['Made', verdict.madeAt],
    ['Key', verdict.keyId && `${verdict.keyId}, ${keyText(verdict)}`],
    ['Files', `${verdict.files}, in ${verdict.bytes} bytes`],
    ['Rows', rowsText(verdict.rows)],
    ...verdict.runs.map((run): [string, string] => ['Run', runText(run)]),
    ['Seals by', verdict.sealKeyIds.join(', ') || null],
  ]
  return [
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(10)}${value}`])),
    ...listOf('Problems, in the order of the bundle', verdict.problems, verdict.problemsCount),
    ...listOf('Remarks: it fits, but ask about', verdict.remarks, verdict.remarksCount),
    '',
    sentenceOn(verdict),
  ]
}

const keyText = ({ isGivenKey }: Verdict): string => {
  if (isGivenKey === null) return 'as the bundle says itself: compare it, or give --key'
  return isGivenKey ? 'one of those given' : 'not one of those given'
}

function rowsText(rows: Record<string, number>): string | null {
  const kinds = Object.entries(rows).map(([kind, count]) => `${count} ${kind}`)
  return kinds.length === 0 ? null : kinds.join(', ')
}

function runText({ id, seals, unsigned, unsealed, erased }: Verdict['runs'][number]): string {
  const sealed = seals === 0 ? 'not sealed' : seals === 1 ? '1 seal' : `${seals} seals`
  const notHeld = Object.entries(unsealed).filter(([, count]) => count > 0)
  const rest = [
    unsigned > 0 && `${unsigned} not signed`,
    notHeld.length > 0 && `in no signed seal: ${notHeld.map(([kind, count]) => `${count} ${kind}`).join(', ')}`,
    erased.length > 0 && `erased: ${erased.join(', ')}`,
  ]
  return [`${id}: ${sealed}`, ...rest.filter((text) => text !== false)].join(', ')
}

function listOf(title: string, listed: Verdict['problems'], count: number): string[] {
  if (listed.length === 0) return []
  const more = count - listed.length
  return [
    '',
    title,
    ...listed.map(({ where, what }) => `  ${where}: ${what}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

function sentenceOn({ isTrue, problems, remarksCount, isGivenKey, keyId }: Verdict): string {
  if (!isTrue) return `Not true: the first thing that does not fit is ${problems[0]?.where}.`
  const remarks = remarksCount === 0 ? '' : `, with ${remarksCount === 1 ? '1 remark' : `${remarksCount} remarks`}`
  return isGivenKey
    ? `True${remarks}: nothing was changed since this key signed it.`
    : `True${remarks}, if ${keyId} is a key of the service that it came from.`
}
