import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createSecretSearch } from './secret-search.ts'

const createSecrets = (count: number) =>
  new Set(Array.from({ length: count }, () => randomBytes(18).toString('base64')))
const toEntities = (text: string) => [...text].map((each) => `&#${each.charCodeAt(0)};`).join('')

describe('The search for credentials', () => {
  it('finds each of 1,000, and withholds a text if there are more', async () => {
    const secrets = createSecrets(999)
    const { scrub, hasHidden } = createSecretSearch(secrets, 100_000)
    for (const secret of secrets) {
      assert.equal(scrub(`a ${secret} b`), 'a [removed] b')
      assert.equal(await hasHidden(`a ${toEntities(secret)}`), true)
      assert.equal(await hasHidden(`. ${toEntities(secret.slice(1))}`), false)
    }
    const more = createSecretSearch(createSecrets(1_001), 100_000)
    assert.equal(more.scrub('text'), undefined)
    assert.equal(await more.hasHidden('text'), true)
  })

  it('finds the lines of a key, also the last one, and short values as words', () => {
    const key = `-----BEGIN KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B\n'.repeat(2)}=ab4\n-----END KEY-----\n`
    const { scrub } = createSecretSearch(new Set([key, 'eu', 'four', 'a']), 1_000)
    assert.equal(scrub(key), '[removed]\n')
    assert.equal(scrub('x MIIEvQIBADANBgkqhkiG9w0B x =ab4'), 'x [removed] x [removed]')
    assert.equal(scrub('neu eu. fourth true b'), 'neu [removed]. [removed]th true b')
  })

  it('takes no longer with more values, and lets other work run meanwhile', async () => {
    const text = '&lt;a href=&quot;%41\\u0042=41 \n'.repeat(32_000)
    let turns = 0
    let isDone = false
    const count = async () => {
      for (; !isDone; turns += 1) await setImmediate()
    }
    const counting = count()
    for (const secrets of [createSecrets(3), createSecrets(900)]) {
      turns = 0
      const { scrub, hasHidden } = createSecretSearch(secrets, 2_000_000)
      assert.equal(scrub(text), text)
      assert.equal(await hasHidden(text), false)
      assert.ok(turns >= 20, `${turns}`)
    }
    isDone = true
    await counting
  })

  it('withholds a text that is made to compare most of a credential everywhere', () => {
    const secret = 'a'.repeat(10_000)
    const { scrub } = createSecretSearch(new Set([secret]), 2_000_000)
    assert.equal(scrub(`${'a'.repeat(9_999)}b`.repeat(100)), undefined)
    const many = createSecrets(900)
    const echo = [...many].join(' ').padEnd(900_000, '.')
    assert.equal(createSecretSearch(many, 2_000_000).scrub(echo), undefined)
  })
})
