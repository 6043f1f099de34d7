import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Entry } from '@linchpin/kit/build'
import { DEFAULT_FOLDERS, listSources } from '../build/catalogue-folders.ts'
import { checkEvidence } from './check-evidence.ts'
import type { EvidenceRow } from './evidence.ts'
import { readEntryFile, readEvidence } from './evidence-files.ts'
import { listFacts } from './list-facts.ts'

describe('the evidence of the catalogue', () => {
  const all: { key: string; entry: Entry; rows: readonly EvidenceRow[] }[] = []
  before(async () => {
    for (const { key } of listSources(DEFAULT_FOLDERS)) {
      const entry = await readEntryFile(key)
      if (entry !== undefined) all.push({ key, entry, rows: await readEvidence(key) })
    }
  })

  it('proves every fact of every entry', () => {
    assert.ok(all.length >= 295)
    for (const { key, entry, rows } of all) assert.deepEqual(checkEvidence(entry, rows), [], key)
  })

  it('fails for each of 500 facts that are changed at random', (t) => {
    const seed = Number(process.env.LINCHPIN_TEST_SEED ?? Date.now() % 1_000_000)
    t.diagnostic(`LINCHPIN_TEST_SEED=${seed}`)
    const random = createRandom(seed)
    const facts = all.flatMap(({ key, entry, rows }) =>
      listFacts(entry).map(({ path, value }) => ({ key, entry, rows, path, value })),
    )
    for (let count = 0; count < 500; count += 1) {
      const { key, entry, rows, path, value } = facts[random(facts.length)] ?? assert.fail()
      const changed = change(value, random)
      const problems = checkEvidence(replace(entry, path, changed), rows)
      assert.ok(problems.length > 0, `${key} ${path}: ${JSON.stringify(changed)}`)
    }
  })
})

function createRandom(seed: number): (limit: number) => number {
  let state = seed + 1
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state % limit
  }
}

/** The value with one character more, less or other. */
function change(value: unknown, random: (limit: number) => number): unknown {
  if (typeof value === 'object' && value !== null) return { ...value, status: 599 }
  if (typeof value !== 'string') return `not ${value}`
  const at = random(value.length + 1)
  const letter = 'abcdefghijklmnopqrstuvwxyz'.charAt(random(26))
  const kinds = [
    value.slice(0, at) + letter + value.slice(at),
    value.slice(0, at) + letter + value.slice(at + 1),
    value.slice(0, at) + value.slice(at + 1),
  ]
  const changed = kinds[random(3)] ?? ''
  return changed === value ? `${value}${letter}` : changed
}

/** The entry with another value at the path of a fact, or with another name where the fact is a name. */
function replace(entry: Entry, path: string, value: unknown): Entry {
  const walk = (node: unknown, rest: string): unknown => {
    if (rest === '') return value
    if (Array.isArray(node) && !/^\d+(?:\.|$)/.test(rest))
      return node.map((each) => (String(each) === rest ? value : each))
    const name = Object.keys(node as object)
      .filter((each) => rest === each || rest.startsWith(`${each}.`))
      .toSorted((one, other) => other.length - one.length)[0]
    if (name === undefined) return assert.fail(`${path}: ${rest}`)
    const child = (node as Readonly<Record<string, unknown>>)[name]
    const isName = rest === name && path.endsWith(`.values.${name}`)
    if (isName) return { ...without(node as object, name), [String(value)]: child }
    const changed = walk(child, rest.slice(name.length + 1))
    if (Array.isArray(node)) return node.with(Number(name), changed)
    return { ...(node as object), [name]: changed }
  }
  return walk(entry, path) as Entry
}

function without(object: object, name: string): object {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name))
}
