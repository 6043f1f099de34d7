import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { crc32 } from 'node:zlib'
import { createRandom } from '../../../test/create-random.ts'
import { createCrc32Combiner } from './combine-crc32.ts'

it('the CRC-32 of joined texts is combined from theirs, for any lengths and beyond the tables', (t) => {
  const seed = Number(process.env.CRC_SEED ?? Date.now() % 1_000_000)
  const random = createRandom(seed)
  const combine = createCrc32Combiner()
  let joined = Buffer.alloc(0)
  let crc = 0
  for (let index = 0; index < 600; index += 1) {
    const next = randomBytes(Math.floor(random() * (index % 7 === 0 ? 3_000 : 600)))
    joined = Buffer.concat([joined, next])
    crc = combine(crc, crc32(next), next.length)
    assert.equal(crc, crc32(joined), `CRC_SEED=${seed}, text ${index} of ${next.length} bytes`)
  }
  t.diagnostic(`CRC_SEED=${seed}`)
})
