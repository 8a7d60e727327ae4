// The browser: sessions of runs, with a picture of every action.
import { feature } from '../../kit/feature.ts'
import { session, sealedState } from './browserSession.ts'
import { browserOf } from '../../kit/browserOf.ts'
import { forgetSessions } from './forgetSessions.ts'
import { getAgentRunScreenshotTimeline } from './getAgentRunScreenshotTimeline.ts'
import { getRunScreenshotTimeline } from './getRunScreenshotTimeline.ts'
import { loginTools } from './loginTool.ts'
import { mountImages } from './images.ts'
import { listBrowserSessionPages } from './listBrowserSessionPages.ts'
import { sweepScreenshots } from './sweepScreenshots.job.ts'
import { browserTools } from './tools.ts'

export const browser = feature({
  name: 'browser',
  about: 'What agents do in a browser: a picture of every action, and the pages of a session.',
  operations: [getRunScreenshotTimeline, getAgentRunScreenshotTimeline, listBrowserSessionPages],
  resources: [session],
  jobs: [sweepScreenshots],
  toolSets: [browserTools],
  givenTools: loginTools,
  hooks: { runsDeleted: forgetSessions },
  close: (context) => browserOf(context).close(),
  sealed: [sealedState],
  routes: mountImages,
})
