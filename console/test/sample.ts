// node scripts/with-node.mjs --dev console/test/sample.ts [hostile]: fills the team of RUNYARD_API_KEY at RUNYARD_URL with data to look at.
import { Runyard } from '../../sdk/src/index.ts'
import { makeSampleData } from './kit/sampleData.ts'

const isHostile = process.argv.includes('hostile')
const { operator, viewer } = await makeSampleData(new Runyard(), { isHostile, onProgress: (says) => console.log(says) })
for (const { name, key } of [operator, viewer]) console.log(`${name} signs in with ${key}`)
