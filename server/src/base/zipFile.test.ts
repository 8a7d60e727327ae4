// Zip archives: what is written can be read again, and what is not plain refuses the whole archive.
import assert from 'node:assert/strict'
import { proves } from '../../test/kit/proves.ts'
import { readZip, writeZip, ZipRefused, type ZipEntry } from './zipFile.ts'

const bounds = { entriesMax: 10, bytesMax: 1000 }
const entry = (path: string, text = 'text', is_executable = false): ZipEntry => ({
  path,
  bytes: Buffer.from(text),
  is_executable,
})

/** The archive with two bytes of the first entry of its list replaced. */
function patched(archive: Buffer, at: number, value: number): Buffer {
  const list = archive.readUInt32LE(archive.length - 6)
  const copy = Buffer.from(archive)
  copy.writeUInt16LE(value, list + at)
  return copy
}

proves('zip.read', 'an archive gives the files that were written into it', async () => {
  const files = [entry('SKILL.md', 'x'.repeat(500)), entry('scripts/run.sh', '#!/bin/sh', true), entry('empty', '')]
  assert.deepEqual(await readZip(writeZip(files), bounds), files)
})

proves('zip.refused', 'one entry that is not plain refuses the whole archive', async () => {
  const plain = writeZip([entry('a.txt'), entry('b.txt')])
  const hostile = [
    '../a',
    '/etc/passwd',
    'a/../../b',
    'C:\\x',
    'a\\..\\b',
    'a//b',
    './a',
    '．．/a',
    'a/%2e%2e/b',
    'a\u0000b',
    'a\nb',
    '',
    'a./b',
    ' a',
    `${'a/'.repeat(40)}b`,
    'x'.repeat(600),
  ].map((path) => writeZip([entry('fine.txt'), entry(path)]))
  const archives: [Buffer, RegExp][] = [
    ...hostile.map((archive): [Buffer, RegExp] => [archive, /cannot be taken/]),
    // a symbolic link, a device, an encrypted entry, a way of packing that nobody knows
    [patched(plain, 40, 0o120777), /links are not taken/],
    [patched(plain, 40, 0o020666), /links are not taken/],
    [patched(plain, 8, 0x0801), /encrypted/],
    [patched(plain, 10, 99), /packed in a way/],
    [writeZip([entry('a.txt'), entry('A.txt')]), /twice/],
    [writeZip([entry('a'), entry('a/b')]), /a file too/],
    [writeZip(Array.from({ length: 11 }, (_, n) => entry(`${n}`))), /at most 10/],
    [writeZip([entry('a', 'x'.repeat(1001))]), /at most 1000/],
    // says that it is small, and is not
    [patched(writeZip([entry('a', 'x'.repeat(900))]), 24, 9), /damaged/],
    [Buffer.from('not a zip'), /damaged/],
    [plain.subarray(0, -10), /damaged/],
    [plain.subarray(40), /damaged/],
    [Buffer.alloc(0), /damaged/],
  ]
  for (const [archive, reason] of archives) {
    await assert.rejects(readZip(archive, bounds), (error) => error instanceof ZipRefused && reason.test(error.message))
  }
})
