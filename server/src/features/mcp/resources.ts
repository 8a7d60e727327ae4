// Runs, their files, artifacts and the memory of agents as MCP resources; each is read through the operation that reads it over HTTP.
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { Reply } from '../../kit/reply.ts'
import type { CallOperation } from './callOperation.ts'

const scheme = 'runyard://'
const recentRuns = 20
const recentArtifacts = 20

export const resourceTemplates = [
  {
    uriTemplate: `${scheme}runs/{run_id}`,
    name: 'run',
    description: 'A run as getRun gives it.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: `${scheme}runs/{run_id}/files/{+path}`,
    name: 'run-file',
    description: 'A file of a run’s workspace.',
  },
  {
    uriTemplate: `${scheme}agents/{agent_id}/memory/{+path}`,
    name: 'memory-file',
    description: 'A memory file of an agent.',
    mimeType: 'text/markdown',
  },
  {
    uriTemplate: `${scheme}artifacts/{artifact_id}`,
    name: 'artifact',
    description: 'The current page of an artifact, as Markdown.',
    mimeType: 'text/markdown',
  },
]

/** The newest runs and the caller's own artifacts, as far as the credential may read them. */
export async function listResources(use: CallOperation) {
  return [...(await listedRuns(use)), ...(await listedArtifacts(use))]
}

async function listedArtifacts(use: CallOperation) {
  const reply = await use('listArtifacts', { limit: recentArtifacts })
  if (reply.status === 403) return []
  const { artifacts } = bodyOf<{ artifacts: { id: string; title: string | null; html_code_present: boolean }[] }>(reply)
  return artifacts
    .filter(({ html_code_present }) => html_code_present)
    .map(({ id, title }) => ({
      uri: `${scheme}artifacts/${id}`,
      name: title ?? 'Untitled',
      description: 'A live page',
      mimeType: 'text/markdown',
    }))
}

async function listedRuns(use: CallOperation) {
  const reply = await use('listRuns', { limit: recentRuns })
  if (reply.status === 403) return []
  const { data } = bodyOf<{ data: { id: string; title: string; agent_name: string; status: string }[] }>(reply)
  return data.map(({ id, title, agent_name, status }) => ({
    uri: `${scheme}runs/${id}`,
    name: title,
    description: `${status}, by ${agent_name}`,
    mimeType: 'application/json',
  }))
}

export async function readResource(use: CallOperation, uri: string) {
  const [, noun, id = '', below, path = ''] = /^runyard:\/\/(\w+)\/([^/]+)(?:\/(\w+)\/(.+))?$/s.exec(uri) ?? []
  if (noun === 'runs' && below === undefined) {
    return { uri, mimeType: 'application/json', text: textOf(await use('getRun', { run_id: decoded(id, uri) }), uri) }
  }
  if (noun === 'runs' && below === 'files') {
    const given = { run_id: decoded(id, uri), path: decoded(path, uri) }
    return fileOf(textOf(await use('getRunSandboxFileContentByRun', given), uri), uri)
  }
  if (noun === 'agents' && below === 'memory') {
    const given = { agent_id: decoded(id, uri), path: decoded(path, uri) }
    const { content } = JSON.parse(textOf(await use('getAgentMemoryFile', given), uri)) as { content: string }
    return { uri, mimeType: 'text/markdown', text: content }
  }
  if (noun === 'artifacts' && below === undefined) {
    const reply = await use('exportArtifactMd', { artifact_id: decoded(id, uri) })
    textOf(reply, uri)
    const bytes = reply.file?.bytes ?? ''
    if (typeof bytes !== 'string' && !Buffer.isBuffer(bytes)) throw new Error('Markdown is not made in pieces')
    return { uri, mimeType: 'text/markdown', text: bytes.toString() }
  }
  throw new ResourceNotFoundError(uri)
}

interface FileContent {
  content: string | null
  encoding: 'utf-8' | 'base64'
  content_type: string
  download_url: string
}

function fileOf(text: string, uri: string) {
  const { content, encoding, content_type: mimeType, download_url } = JSON.parse(text) as FileContent
  if (content === null) {
    const says = `The file is too large to be read here. Download it from ${download_url}`
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, says)
  }
  return encoding === 'utf-8' ? { uri, mimeType, text: content } : { uri, mimeType, blob: content }
}

function decoded(part: string, uri: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new ResourceNotFoundError(uri)
  }
}

function textOf(reply: Reply, uri: string): string {
  if (reply.status === 404) throw new ResourceNotFoundError(uri)
  bodyOf(reply)
  return reply.body ?? ''
}

/** A refusal becomes one of the protocol, in the same words. */
function bodyOf<T>({ status, body }: Reply): T {
  const value = JSON.parse(body ?? 'null') as T & { message: string }
  if (status < 400) return value
  const code = status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
  throw new ProtocolError(code, value.message, value)
}
