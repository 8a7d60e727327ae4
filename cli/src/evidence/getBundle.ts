// Downloads a bundle straight to disk: one with the contents of files may be larger than the memory.
import { stat } from 'node:fs/promises'
import { getFile, writeToPath } from '../../../sdk/src/files.ts'
import { UsageError, type Call } from '../command.ts'

interface Typed {
  case?: boolean
  files?: boolean
  out?: string
}

export async function getBundle({ positionals: [id = ''], values, out, signal, target }: Call<Typed>): Promise<void> {
  // it goes into a path and a file name
  if (!/^[\w-]{1,100}$/.test(id)) throw new UsageError('ID must be the id of a run, or of a case with --case.')
  const { baseUrl, apiKey } = await target()
  const file = values.out ?? `evidence-${id}.zip`
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/v2/${values.case ? 'cases' : 'runs'}/${id}/evidence`)
  if (values.files) url.searchParams.set('contents', 'true')
  const asCaller: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { authorization: `Bearer ${apiKey}` } })
  await writeToPath(await getFile(asCaller, url.href, { signal }), file)
  const { size } = await stat(file)
  out.record({ file, bytes: size }, () => [`${file}: ${size} bytes. Check it with: runyard evidence verify ${file}`])
}
