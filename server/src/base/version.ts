// The version of this Runyard, as its package says it.
import packageFacts from '../../package.json' with { type: 'json' }

export const runyardVersion: string = packageFacts.version
