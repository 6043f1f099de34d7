import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRandom } from '../../../test/create-random.ts'
import { openBox, type SealContext, sealBox } from './sealed-box.ts'
import { createSealContext, generateKey } from './test/test-keys.ts'

const COUNT = Number(process.env.TAMPERED_VALUES ?? 500)
const seed = Number(process.env.TAMPER_SEED ?? Date.now() % 1_000_000)

/** Changes a sealed value, or where it is. */
type Change = (box: Buffer, context: SealContext, random: () => number) => [Buffer, SealContext]

const pick = (random: () => number, count: number) => Math.floor(random() * count)

const CHANGES: Readonly<Record<string, Change>> = {
  'one bit': (box, context, random) => {
    const at = pick(random, box.length)
    box[at] = (box[at] ?? 0) ^ (1 << pick(random, 8))
    return [box, context]
  },
  'its end cut off': (box, context, random) => [box.subarray(0, pick(random, box.length)), context],
  'a byte more': (box, context, random) => [
    Buffer.concat([box, Buffer.of(pick(random, 256))]),
    context,
  ],
  'two bytes exchanged': (box, context, random) => {
    const from = pick(random, box.length - 1)
    const [one, two] = [box[from] ?? 0, box[from + 1] ?? 0]
    // Equal bytes would change nothing.
    box[from] = one === two ? one ^ 1 : two
    box[from + 1] = one
    return [box, context]
  },
  'another row': (box, context) => [box, { ...context, rowId: `${context.rowId}0` }],
  'another workspace': (box, context) => [box, { ...context, workspaceId: 'wsp_2' }],
  'another column': (box, context) => [box, { ...context, column: 'public_config' }],
  'another table': (box, context) => [box, { ...context, table: 'links' }],
  'the border of row and workspace moved': (box, context) => [
    box,
    { ...context, workspaceId: 'wsp_1a', rowId: context.rowId.slice(1) },
  ],
}

describe('A sealed value that was changed or moved', () => {
  it(`is opened in none of ${COUNT} cases`, (t) => {
    const random = createRandom(seed)
    const { key } = generateKey('a')
    const names = Object.keys(CHANGES)
    let refused = 0
    for (let index = 0; index < COUNT; index += 1) {
      const name = names[index % names.length] ?? ''
      const context = createSealContext('wsp_1', `acc_${index}`)
      const box = Buffer.from(sealBox(key, 'key-1', context, Buffer.from(`secret ${index}`)))
      assert.equal(Buffer.from(openBox(key, context, box)).toString(), `secret ${index}`)
      const changed = CHANGES[name]?.(Buffer.from(box), context, random) ?? assert.fail(name)
      assert.throws(
        () => openBox(key, changed[1], changed[0]),
        { kind: 'tampered' },
        `TAMPER_SEED=${seed}, case ${index}: ${name}`,
      )
      refused += 1
    }
    t.diagnostic(`TAMPER_SEED=${seed}: ${refused} of ${COUNT} refused`)
    assert.equal(refused, COUNT)
  })
})
