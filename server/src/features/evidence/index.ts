// Evidence: the logs of ended runs are sealed and signed, and a bundle of a run or a case can be checked without us.
import { feature } from '../../kit/feature.ts'
import { eraseSeals } from './eraseSeals.job.ts'
import { getCaseEvidence } from './getCaseEvidence.ts'
import { getRunEvidence } from './getRunEvidence.ts'
import { publicKeys, sealedPrivateKey } from './keys.ts'
import { sealEnded } from './sealRuns.ts'

export const evidence = feature({
  name: 'evidence',
  about: 'Bundles of everything that is known of a run or a case, sealed, signed and checked without this service.',
  operations: [getRunEvidence, getCaseEvidence],
  jobs: [eraseSeals],
  tick: sealEnded,
  sealed: [sealedPrivateKey],
  routes(app, context) {
    app.get('/.well-known/runyard-evidence.json', async () => ({
      format: 'runyard-evidence-1',
      keys: await publicKeys(context),
    }))
  },
})
