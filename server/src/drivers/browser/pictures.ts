// The picture of a page and its thumbnail, made by Chromium itself from what it shows.
import type { CDPSession } from 'playwright-core'
import type { Picture } from './browser.ts'
import { within } from './withTimeout.ts'

export const viewport = { width: 1280, height: 800 }
const thumbnailWidth = 320

interface Pictures {
  screenshot: Picture
  thumbnail: Picture
}

/** Undefined if the page shows nothing in time. */
export async function takePictures(opening: Promise<CDPSession>): Promise<Pictures | undefined> {
  const devtools = await within(5000, opening, undefined)
  if (!devtools) return undefined
  const metrics = await within(5000, devtools.send('Page.getLayoutMetrics'), undefined)
  if (!metrics) return undefined
  // a clip counts from the top of the page, not of what is seen of it
  const { pageX: x, pageY: y } = metrics.cssVisualViewport
  const screenshot = await capture(devtools, { x, y, scale: 1, quality: 70 })
  const scale = thumbnailWidth / viewport.width
  const thumbnail = screenshot && (await capture(devtools, { x, y, scale, quality: 60 }))
  return screenshot && thumbnail && { screenshot, thumbnail }
}

async function capture(
  devtools: CDPSession,
  { quality, ...place }: { x: number; y: number; scale: number; quality: number },
): Promise<Picture | undefined> {
  const clip = { ...viewport, ...place }
  const wanted = { format: 'jpeg' as const, quality, optimizeForSpeed: true, ...(place.scale !== 1 && { clip }) }
  const taken = await within(5000, devtools.send('Page.captureScreenshot', wanted), undefined)
  if (!taken) return undefined
  return {
    bytes: Buffer.from(taken.data, 'base64'),
    width: viewport.width * place.scale,
    height: viewport.height * place.scale,
  }
}
