import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { BUSY_MACHINE_OPTIONS } from '../../test/busy-machine-options.ts'
import {
  createEgressGateway,
  createRunner,
  type EgressGateway,
  parseAllowList,
  type Runner,
} from '../index.ts'

/** Texts that UTF-8 or the transport to the host treat in different ways. */
const TEXTS: Readonly<Record<string, Buffer>> = {
  ASCII: Buffer.from('a'.repeat(4_000)),
  'two bytes': Buffer.from('ä'.repeat(2_000)),
  'three bytes': Buffer.from('€'.repeat(2_000)),
  'four bytes': Buffer.from('👍'.repeat(2_000)),
  'a byte order mark': Buffer.from(`\ufeff${'a'.repeat(2_000)}`),
  'U+0000 in the middle': Buffer.from(`${'a'.repeat(2_000)}\0${'b'.repeat(2_000)}`),
  'bytes that are not UTF-8': Buffer.from([...Buffer.alloc(3_000, 0x61), 0xff, 0xe2, 0x82, 0x61]),
  'a surrogate in three bytes': Buffer.from([...Buffer.alloc(600, 0x61), 0xed, 0xa0, 0x80]),
  'as long as the limit': Buffer.alloc(512, 0x61),
  'shorter than the limit': Buffer.alloc(511, 0x61),
}

const CODE = `exports.main = async (command, { base64 }) => {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'))
  const padded = new Uint8Array(bytes.length + 20)
  padded.set(bytes, 7)
  const texts = [
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
    Buffer.from(bytes).toString(),
    Buffer.from(padded.buffer, 7, bytes.length).toString('utf8'),
    await new Blob([bytes]).text(),
    await new Response(bytes).text(),
  ]
  return texts.map((text) => require('crypto').createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex'))
}`

describe('long texts in a bundle', () => {
  let egressGateway: EgressGateway
  let runner: Runner
  before(() => {
    egressGateway = createEgressGateway({ allow: parseAllowList('') })
    runner = createRunner({ egressGateway, children: 1, ...BUSY_MACHINE_OPTIONS })
  })
  after(async () => {
    await runner.close()
    await egressGateway.close()
  })

  const bundle = { sha256: hash(CODE), load: async () => CODE }
  for (const [name, bytes] of Object.entries(TEXTS))
    it(`are decoded like in Node: ${name}`, async () => {
      const params = { base64: bytes.toString('base64') }
      const tenant = { workspaceId: 'workspace-1' }
      const { value } = await runner.run({ bundle, tenant, command: 'SPEC', params })
      const withMark = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
      const withoutMark = new TextDecoder().decode(bytes)
      const texts = [withMark, withMark, withMark, await new Blob([bytes]).text(), withoutMark]
      assert.deepEqual(
        value,
        texts.map((text) => hash(Buffer.from(text, 'utf16le'))),
      )
    })
})

function hash(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}
