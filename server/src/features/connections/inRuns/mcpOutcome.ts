// What an MCP server answered to a call, as a run stores it: text and data inline, pictures and other bytes as files of the workspace.
import { scrubbed, scrubbedBytes, type Scrub } from '../../../base/knownSecrets.ts'
import type { McpAnswer } from '../../../drivers/mcp/mcp.ts'
import { showBytes, showSome } from '../../../kit/shownFile.ts'
import type { Outcome } from '../../../kit/tool.ts'

interface Block {
  type?: unknown
  text?: unknown
  /** A picture or a sound, in base64. */
  data?: unknown
  mimeType?: unknown
  resource?: { uri?: unknown; text?: unknown; blob?: unknown; mimeType?: unknown }
}

interface Bytes {
  base64: string
  mimeType: string
}

const extensions: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'text/csv': 'csv',
  'text/plain': 'txt',
}

const isObject = (value: unknown): value is Block => typeof value === 'object' && value !== null

/** Everything of it that is text, as it came. */
export function textsOf(content: unknown[]): string[] {
  return content.filter(isObject).flatMap(({ type, text, resource }) => {
    if (type === 'text' && typeof text === 'string') return [text]
    return type === 'resource' && typeof resource?.text === 'string' ? [resource.text] : []
  })
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '')

function bytesOf({ type, data, mimeType, resource }: Block): Bytes | undefined {
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return { base64: data, mimeType: textOr(mimeType) }
  }
  if (type !== 'resource' || typeof resource?.blob !== 'string') return undefined
  return { base64: resource.blob, mimeType: textOr(resource.mimeType) }
}

/** `{text?, data?, links?, files?}`: what of these the answer has. */
export function mcpOutcome(
  { is_error, content, structured_content }: McpAnswer,
  scrub: Scrub,
  { step, connectionName }: { step: number; connectionName: string },
): Outcome {
  const text = scrub(textsOf(content).join('\n'))
  if (is_error) return { error: text || `${connectionName} says that the call failed, and not why.` }
  const writes = content.filter(isObject).flatMap((block, index) => {
    const bytes = bytesOf(block)
    if (!bytes) return []
    const extension = extensions[bytes.mimeType.toLowerCase().split(';')[0]!.trim()] ?? 'bin'
    return [
      {
        path: `.results/step-${step}-${index + 1}.${extension}`,
        bytes: scrubbedBytes(Buffer.from(bytes.base64, 'base64'), scrub),
      },
    ]
  })
  const links = content.filter((block) => isObject(block) && block.type === 'resource_link')
  const result = {
    ...(text && { text }),
    ...(structured_content !== null &&
      structured_content !== undefined && { data: scrubbed(structured_content, scrub) }),
    ...(links.length > 0 && { links: scrubbed(links, scrub) }),
    ...(writes.length > 0 && { files: writes.map(({ path }) => `/workspace/${path}`) }),
  }
  const shows = showSome(writes.map(({ path, bytes }) => showBytes(`/workspace/${path}`, bytes)))
  return { result, ...(writes.length > 0 && { writes }), ...(shows.length > 0 && { shows }) }
}
