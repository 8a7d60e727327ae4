// The object stores of a process: where large contents go, and how those are reached that hold contents already.
import { StoreRefused, type ObjectStore } from './objectStore.ts'
import type { Credentials } from './s3/sign.ts'
import { placeOfStore, s3Store } from './s3/store.ts'

export interface Stores {
  /** Where large contents go; undefined: into PostgreSQL. */
  current: ObjectStore | undefined
  /** What has more bytes than this is large. */
  largeFrom: number
  /** The store that an object is in. Throws if no setting says how it is reached. */
  at(name: string): ObjectStore
  /** Whether readers may be sent to the store. */
  givesLinks: boolean
  /** How long a reader of blobs waits for a store that is away. */
  patienceMs: number
  /** Parts that uploads hold beyond one each, over all uploads of this process. */
  extraParts: { left: number }
  /** Told that the store was away when a content was stored, which went into PostgreSQL instead. */
  onAway: (problem: Error) => void
}

export interface StoreSettings {
  /** `s3://bucket/prefix`; undefined: PostgreSQL. */
  blobs: string | undefined
  blobsFromBytes: number
  s3Endpoint: string | undefined
  s3PublicEndpoint: string | undefined
  s3Region: string
  s3AccessKeyId: string | undefined
  s3SecretAccessKey: string | undefined
  s3Downloads: 'through_service' | 'direct'
}

interface Told {
  /** Called after each request to a store: with the reason if it did not answer, or with what it said if it answered and refused. */
  onAnswer?: (problem: string | undefined, refusal?: string) => void
  onAway?: (problem: Error) => void
  /** Pauses between attempts, where tests need no patience. */
  pausesMs?: number[]
}

/** 48 MiB beside the 8 MiB that every upload may hold. */
const extraPartsMax = 6

export function openStores(settings: StoreSettings, { onAnswer, onAway, pausesMs }: Told = {}): Stores {
  const known = new Map<string, ObjectStore>()
  const credentials = credentialsOf(settings)
  const at = (name: string): ObjectStore => {
    const open = known.get(name)
    if (open) return open
    if (!credentials) {
      throw new StoreRefused(
        `these bytes are in ${name}, and no setting says how it is reached: set RUNYARD_S3_ACCESS_KEY_ID and RUNYARD_S3_SECRET_ACCESS_KEY`,
      )
    }
    const { s3Region: region, s3Endpoint, s3PublicEndpoint: publicEndpoint } = settings
    const endpoint = s3Endpoint ?? `https://s3.${region}.amazonaws.com`
    const store = s3Store({
      server: { endpoint, credentials, ...(onAnswer && { onAnswer }) },
      ...placeOfStore(name),
      publicEndpoint,
      ...(pausesMs && { pausesMs }),
    })
    known.set(name, store)
    return store
  }
  const { blobs } = settings
  return {
    current: blobs === undefined ? undefined : at(blobs),
    largeFrom: settings.blobsFromBytes,
    at,
    givesLinks: settings.s3Downloads === 'direct',
    patienceMs: 0,
    extraParts: { left: extraPartsMax },
    onAway: onAway ?? (() => undefined),
  }
}

function credentialsOf({ s3AccessKeyId, s3SecretAccessKey, s3Region }: StoreSettings): Credentials | undefined {
  if (s3AccessKeyId === undefined || s3SecretAccessKey === undefined) return undefined
  return { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey, region: s3Region }
}

/** For processes and tests without a store. */
export const onlyPostgres: Stores = openStores({
  blobs: undefined,
  blobsFromBytes: 256 * 1024,
  s3Endpoint: undefined,
  s3PublicEndpoint: undefined,
  s3Region: 'us-east-1',
  s3AccessKeyId: undefined,
  s3SecretAccessKey: undefined,
  s3Downloads: 'through_service',
})
