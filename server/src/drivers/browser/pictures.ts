// The picture of a page and its thumbnail, made by Chromium itself from what it shows.
import type { CDPSession } from 'playwright-core'
import type { Picture } from './browser.ts'
import { within } from './within.ts'

export const viewport = { width: 1280, height: 800 }
const thumbnailWidth = 320

export interface Pictures {
  screenshot: Picture
  thumbnail: Picture
}

/** Undefined where the page shows nothing in time. */
export async function takePictures(devtools: CDPSession): Promise<Pictures | undefined> {
  const screenshot = await capture(devtools, { scale: 1, quality: 70 })
  const thumbnail = screenshot && (await capture(devtools, { scale: thumbnailWidth / viewport.width, quality: 60 }))
  return screenshot && thumbnail && { screenshot, thumbnail }
}

async function capture(
  devtools: CDPSession,
  { scale, quality }: { scale: number; quality: number },
): Promise<Picture | undefined> {
  const clip = scale === 1 ? {} : { clip: { x: 0, y: 0, ...viewport, scale } }
  const taken = await within(
    5000,
    devtools.send('Page.captureScreenshot', { format: 'jpeg', quality, optimizeForSpeed: true, ...clip }),
    undefined,
  )
  if (!taken) return undefined
  return {
    bytes: Buffer.from(taken.data, 'base64'),
    width: viewport.width * scale,
    height: viewport.height * scale,
  }
}
