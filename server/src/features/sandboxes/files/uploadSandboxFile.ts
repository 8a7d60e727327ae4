// Puts one file of up to 10 MiB into a sandbox.
import { one } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import { blobsFor } from '../../../kit/blobs.ts'
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { askedPathBelow, FilePath, nameOf } from './requestPath.ts'
import { directBytesMax } from '../../../kit/storedFile.ts'
import { lockFreeSandbox } from '../workspace/sandbox.ts'
import { writeStoredFile } from '../workspace/writeFiles.ts'

/** What a form adds to the file that it holds. */
const formBytesMax = 64 * 1024

const Form = Type.Object({
  file: Type.Unsafe<Blob>({ type: 'string', contentMediaType: 'application/octet-stream' }),
  path: Type.Optional(Type.String({ description: 'Where the file will be; absent: in /workspace, by its own name.' })),
})

export const uploadSandboxFile = operation({
  id: 'uploadSandboxFile',
  client: 'sandboxes.uploadFile',
  route: 'POST /v2/sandboxes/:sandbox_id/files',
  summary: 'Upload a file to a sandbox',
  description:
    'Up to 10 MiB, as a new file or over an old one: in a form with the fields `file` and `path`, or as the body itself, of any type, ' +
    'with `?path=`. For larger files use an upload URL.',
  scope: 'sandboxes:write',
  query: Type.Object({ path: Type.Optional(FilePath) }),
  takesBytes: { form: Form },
  bodyBytesMax: directBytesMax + formBytesMax,
  status: 201,
  answer: Type.Object({
    path: Type.String({ examples: ['/workspace/out/report.md'] }),
    size_bytes: Type.Integer({ minimum: 0 }),
  }),
  errors: ['sandbox_busy', 'payload_too_large', 'entitlement_exceeded'],
  async prepare({ bytes, contentType, query, sql, context, fail }) {
    const file = await fileIn(bytes, contentType, query.path)
    if (file.bytes.length > directBytesMax) {
      fail(
        'payload_too_large',
        `The file has ${file.bytes.length} bytes; ${directBytesMax} is the most. Use an upload URL.`,
      )
    }
    await blobsFor(context, sql).bring([file.bytes])
    return file
  },
  async handler({ sandbox, prepared: { path, bytes }, sql, context }) {
    const locked = await lockFreeSandbox(sql, sandbox)
    const sha256 = await one(blobsFor(context, sql).put([bytes]))
    const size_bytes = bytes.length
    const refused = await writeStoredFile(context, sql, locked, path, { sha256: sha256, size_bytes })
    if (refused) throw new Fault(refused.code, refused.message)
    return { path, size_bytes }
  },
})

interface Upload {
  path: string
  bytes: Uint8Array
}

async function fileIn(body: Uint8Array, type: string | undefined, pathOfQuery: string | undefined): Promise<Upload> {
  if (/^multipart\/form-data\b/i.test(type ?? '')) return fileInForm(body, type!, pathOfQuery)
  if (pathOfQuery === undefined) {
    throw new Fault(
      'invalid_request',
      'path is missing in the query: say with ?path= where the file goes, or send a form.',
    )
  }
  return { path: askedPathBelow(pathOfQuery), bytes: body }
}

async function fileInForm(body: Uint8Array, type: string, pathOfQuery: string | undefined): Promise<Upload> {
  const form = await readForm(body, type)
  const [file, ...more] = form.getAll('file')
  const [path = pathOfQuery, ...morePaths] = form.getAll('path')
  if (!(file instanceof File) || more.length > 0) {
    throw new Fault('invalid_request', 'The form must have one field named file, with a file name and the file itself.')
  }
  if (path instanceof File || morePaths.length > 0) {
    throw new Fault('invalid_request', 'The field path of the form must be one text: where the file goes.')
  }
  // some send the whole path that the file had with them
  const name = nameOf(file.name.replaceAll('\\', '/'))
  return { path: askedPathBelow(path ?? name), bytes: new Uint8Array(await file.arrayBuffer()) }
}

async function readForm(body: Uint8Array, type: string): Promise<FormData> {
  try {
    return await new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } }).formData()
  } catch (error) {
    const says = 'The body is not valid multipart/form-data (RFC 7578). Its boundary needs 27 to 70 characters.'
    throw new Fault('invalid_request', says, { cause: error })
  }
}
