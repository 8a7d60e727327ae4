// Whether tests can use a browser here: without Chromium they are skipped, and say why.
import { missingChromium } from '../../src/drivers/browser/chromiumFiles.ts'

export const needsBrowser = { skip: missingChromium() ?? false }
