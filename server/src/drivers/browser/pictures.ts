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
  const place = { ...viewport, x, y }
  const screenshot = await within(5000, capture(devtools, { ...place, scale: 1 }, 70), undefined)
  const scale = thumbnailWidth / viewport.width
  const thumbnail = screenshot && (await within(5000, capture(devtools, { ...place, scale }, 60), undefined))
  return screenshot && thumbnail && { screenshot, thumbnail }
}

/** `isBeyond`: the place may be outside of what is seen of the page. Without it, a picture of scale 1 shows just what is seen. */
export async function capture(
  devtools: CDPSession,
  place: { x: number; y: number; width: number; height: number; scale: number },
  quality: number,
  isBeyond = false,
): Promise<Picture> {
  const { data } = await devtools.send('Page.captureScreenshot', {
    format: 'jpeg',
    quality,
    optimizeForSpeed: true,
    captureBeyondViewport: isBeyond,
    ...((isBeyond || place.scale !== 1) && { clip: place }),
  })
  const { width, height, scale } = place
  return { bytes: Buffer.from(data, 'base64'), width: Math.round(width * scale), height: Math.round(height * scale) }
}
