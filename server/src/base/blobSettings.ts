// The settings of where the bytes of files are stored, for the table in config.ts, and what must be set together.
import { integer, oneOf, providerKey, providerUrl, text, type Setting } from './settingKinds.ts'

export const blobSettings = {
  blobs: {
    env: 'RUNYARD_BLOBS',
    says:
      'Where bytes of files and pictures are stored: `postgres`, or `s3://bucket/prefix` for an S3-compatible store. It decides about new contents of more ' +
      'than `RUNYARD_BLOBS_FROM_BYTES`; `runyard blobs move` moves those that are there.',
    unset: '`postgres`',
    read(value = 'postgres') {
      if (value === 'postgres') return undefined
      // names of buckets as S3 takes them; a prefix that means the same in every spelling of a URL
      const name = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){0,10}$/
      const plain = value.replace(/\/+$/, '')
      if (name.test(plain)) return plain
      throw new Error('must be postgres, or s3://bucket or s3://bucket/prefix with letters, digits, dots, - and _')
    },
  } satisfies Setting<string | undefined>,
  blobsFromBytes: integer(
    'RUNYARD_BLOBS_FROM_BYTES',
    { min: 1024, max: 8 * 1024 * 1024, unset: 256 * 1024 },
    'Contents with more bytes than this go into the object store. PostgreSQL keeps the first 64 KiB of each, so much less than that saves nothing.',
  ),
  s3Endpoint: providerUrl(
    'RUNYARD_S3_ENDPOINT',
    'that of AWS in the region',
    'The URL of the S3-compatible store; buckets are part of the path. The service calls it although it may be a private host.',
  ),
  s3Region: {
    ...text('RUNYARD_S3_REGION', '`us-east-1`', 'The region that requests to the store are signed for.'),
    read(value = 'us-east-1') {
      if (/^[A-Za-z0-9-]{1,50}$/.test(value)) return value
      throw new Error('must be the name of a region such as us-east-1')
    },
  } satisfies Setting<string>,
  s3AccessKeyId: {
    ...providerKey('RUNYARD_S3_ACCESS_KEY_ID', ''),
    says: 'The id of the key for the store.',
  } satisfies Setting<string | undefined>,
  s3SecretAccessKey: {
    ...providerKey('RUNYARD_S3_SECRET_ACCESS_KEY', ''),
    says: 'The secret part of that key.',
  } satisfies Setting<string | undefined>,
  s3Downloads: oneOf(
    'RUNYARD_S3_DOWNLOADS',
    ['through_service', 'direct'],
    'through_service',
    'How files that are in the store are downloaded: through the service, or `direct`, by a redirect to a URL of the store that is valid for a minute.',
  ),
  s3PublicEndpoint: providerUrl(
    'RUNYARD_S3_PUBLIC_ENDPOINT',
    '`RUNYARD_S3_ENDPOINT`',
    'The URL under which those who download reach the store, for `RUNYARD_S3_DOWNLOADS=direct`.',
  ),
}

interface Given {
  blobs?: unknown
  s3AccessKeyId?: unknown
  s3SecretAccessKey?: unknown
}

/** A store without keys would only fail with the first file. */
export function blobProblems({ blobs, s3AccessKeyId, s3SecretAccessKey }: Given): string[] {
  const keys = [s3AccessKeyId, s3SecretAccessKey].filter((key) => key !== undefined).length
  if (keys === 1) return ['RUNYARD_S3_ACCESS_KEY_ID and RUNYARD_S3_SECRET_ACCESS_KEY must both be set, or neither']
  if (blobs === undefined || keys === 2) return []
  return ['RUNYARD_BLOBS needs RUNYARD_S3_ACCESS_KEY_ID and RUNYARD_S3_SECRET_ACCESS_KEY as well']
}
