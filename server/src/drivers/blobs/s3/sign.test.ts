// Signatures: the examples that AWS publishes for S3 come out as published.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { proves } from '../../../../test/kit/proves.ts'
import { signedHeaders, signedUrl } from './sign.ts'

/** The key and the moment of all examples in "Authenticating Requests (AWS Signature Version 4)". */
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const now = new Date('2013-05-24T00:00:00Z')
const bucket = 'https://examplebucket.s3.amazonaws.com'

const signatureOf = ({ authorization = '' }: Record<string, string>) => /Signature=(\w+)$/.exec(authorization)?.[1]

proves('objects.signed', 'a request is signed as the examples of AWS are', () => {
  const empty = hash('sha256', '', 'hex')
  const read = { method: 'GET', url: new URL(`${bucket}/test.txt`), headers: { range: 'bytes=0-9' }, payload: empty }
  assert.equal(
    signatureOf(signedHeaders(read, credentials, now)),
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  )
  const write = {
    method: 'PUT',
    url: new URL(`${bucket}/test%24file.text`),
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    payload: hash('sha256', 'Welcome to Amazon S3.', 'hex'),
  }
  assert.equal(
    signatureOf(signedHeaders(write, credentials, now)),
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  )
  const list = { method: 'GET', url: new URL(`${bucket}/?max-keys=2&prefix=J`), headers: {}, payload: empty }
  assert.equal(
    signatureOf(signedHeaders(list, credentials, now)),
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  )
})

proves('objects.signed', 'a URL is signed as the example of AWS is', () => {
  const url = signedUrl(new URL(`${bucket}/test.txt`), credentials, { now, validS: 86_400 })
  assert.match(url, /&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404$/)
})
