// Saves something as a file of the person's machine.

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  saveUrl(url, name)
  // the browser has begun to read it by then
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

export function saveUrl(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.rel = 'noopener'
  link.click()
}

/** A signed URL of the service under the name by which the page was opened: another name of the same machine would be another origin. */
export function onThisOrigin(signedUrl: string): string {
  const { pathname, search } = new URL(signedUrl)
  return `${window.location.origin}${pathname}${search}`
}
