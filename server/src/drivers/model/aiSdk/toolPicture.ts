// A picture in the result of a tool: providers take it as a part of its own, beside the result.

export interface ToolPicture {
  media_type: string
  base64: string
}

const isPicture = (value: unknown): value is ToolPicture =>
  typeof value === 'object' &&
  value !== null &&
  'base64' in value &&
  typeof value.base64 === 'string' &&
  'media_type' in value &&
  typeof value.media_type === 'string' &&
  value.media_type.startsWith('image/')

/** Takes the field `picture` out of a result, where it is one. */
export function takePicture(result: unknown): { picture?: ToolPicture; rest: unknown } {
  if (typeof result !== 'object' || result === null || !('picture' in result)) return { rest: result }
  const { picture, ...rest } = result
  return isPicture(picture) ? { picture, rest } : { rest: result }
}
