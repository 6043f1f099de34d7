import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { INITIAL_HASH } from '../../../platform/storage/audit-inbox.ts'
import {
  digestValue,
  EXPORT_TYPE,
  type HashedEntry,
  hashEntry,
  hashHeader,
  signCheckpoint,
} from '../hash-chain.ts'
import type { Finding } from './read-export.ts'
import { createCheckpointVerifier, parseCheckpoint, verifyExport } from './verify-export.ts'

/** `npm run proof -- audit` sets more. */
const RUNS = Number(process.env.AUDIT_RUNS ?? 300)
const ENTRIES = 40

type Entry = Record<string, unknown>

/** The lines of an export that starts after entry `base`. */
function createExport(base: number, count = ENTRIES): string[] {
  let hash = base === 0 ? INITIAL_HASH : randomBytes(32).toString('base64url')
  const header = {
    type: EXPORT_TYPE,
    version: 2,
    workspaceId: 'wsp_1',
    from: null,
    to: '2026-11-01T00:00:00Z',
    exportedAt: '2026-11-26T00:00:00.000Z',
    base: { sequence: base, hash },
  }
  const entries = Array.from({ length: count }, (_, index) => {
    const ip = index % 3 === 0 ? null : `192.0.2.${index}`
    const entry: HashedEntry = {
      auditId: `aud_${index}`,
      timestamp: new Date(index).toISOString(),
      workspaceId: 'wsp_1',
      sequence: base + index + 1,
      actor: { kind: 'token', via: 'api', userId: 'usr_1', tokenId: `tok_${index % 4}`, ip },
      action: 'account.updated',
      outcome: 'done',
      subject: `acc_${index % 5}`,
      subjectType: 'account',
      detail: { changed: ['name'], index },
      requestId: null,
    }
    const digest = (value: unknown) => {
      const salt = randomBytes(16).toString('base64url')
      return { salt, digest: digestValue(salt, value) }
    }
    const personal = { ip: ip === null ? null : digest(ip), detail: digest(entry.detail) }
    const previousHash = hash
    const digests = { ip: personal.ip?.digest ?? null, detail: personal.detail.digest }
    hash = hashEntry(previousHash, entry, digests)
    return { ...entry, personal, previousHash, hash }
  })
  const end = { type: 'end', sequence: base + count, hash, headerHash: hashHeader(header) }
  return [header, ...entries, end].map((value) => JSON.stringify(value))
}

async function* toLines(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

const verify = async (lines: readonly string[]) =>
  (await verifyExport(() => toLines(lines))).findings
const describeFindings = (findings: readonly Finding[]) =>
  findings.map(({ kind, line }) => `${kind} ${line}`)

/** The paths to all values of an entry. */
function listPaths(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]]
  return Object.entries(value).flatMap(([name, member]) => listPaths(member, [...path, name]))
}

function changeValue(entry: Entry, path: readonly string[]): void {
  const parent = path.slice(0, -1).reduce((value, name) => value[name] as Entry, entry)
  const name = path.at(-1) ?? ''
  const value = parent[name]
  if (typeof value === 'number') parent[name] = value + 1
  else if (typeof value === 'string') parent[name] = value === 'x' ? 'y' : 'x'
  else parent[name] = 'x'
}

/** A change of an export, and the findings that it must cause. */
type Change = (lines: string[]) => readonly string[]

const position = fc.integer({ min: 1, max: ENTRIES })
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(position, fc.nat()).map(
    ([at, choice]): Change =>
      (lines) => {
        const entry = JSON.parse(lines[at] ?? '') as Entry
        const paths = listPaths(entry)
        changeValue(entry, paths[choice % paths.length] ?? [])
        lines[at] = JSON.stringify(entry)
        return [`modified ${at + 1}`]
      },
  ),
  position.map(
    (at): Change =>
      (lines) => {
        lines.splice(at, 1)
        return [`removed ${at}`]
      },
  ),
  fc
    .tuple(position, position)
    .filter(([a, b]) => a !== b)
    .map(
      ([a, b]): Change =>
        (lines) => {
          const [one, other] = [lines[a] ?? '', lines[b] ?? '']
          lines[a] = other
          lines[b] = one
          return [a, b].sort((x, y) => x - y).map((at) => `moved ${at + 1}`)
        },
    ),
  fc
    .tuple(position, position, fc.boolean())
    .filter(([at, source]) => at !== source && at !== source + 1)
    .map(
      ([at, source, isForged]): Change =>
        (lines) => {
          const entry = JSON.parse(lines[source] ?? '') as Entry
          if (isForged) entry.action = 'account.deleted'
          lines.splice(at, 0, JSON.stringify(entry))
          return [`inserted ${at + 1}`]
        },
    ),
)

describe('verifyExport', () => {
  it('accepts an intact export, one that starts after pruned entries, and one with erased values', async () => {
    assert.deepEqual(await verify(createExport(0)), [])
    assert.deepEqual(await verify(createExport(0, 0)), [])
    const lines = createExport(7_000)
    const entry = JSON.parse(lines[2] ?? '')
    entry.actor.ip = null
    entry.personal.ip.salt = null
    entry.detail = null
    entry.personal.detail.salt = null
    lines[2] = JSON.stringify(entry)
    const { entries, first, last, erased, findings } = await verifyExport(() => toLines(lines))
    assert.deepEqual([entries, first, last, erased, findings], [ENTRIES, 7_001, 7_040, 2, []])
  })

  it(`locates each of ${RUNS} single changes, deletions, swaps and insertions`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(0, 41), changes, async (base, change) => {
        const lines = createExport(base)
        const expected = change(lines)
        assert.deepEqual(describeFindings(await verify(lines)), expected)
      }),
      { numRuns: RUNS },
    )
  })

  it('locates an entry that was rewritten with a new hash', async () => {
    const lines = createExport(0)
    const { personal, previousHash, hash: _, ...entry } = JSON.parse(lines[9] ?? '')
    entry.action = 'account.deleted'
    const digests = { ip: personal.ip?.digest ?? null, detail: personal.detail.digest }
    const hash = hashEntry(previousHash, entry, digests)
    lines[9] = JSON.stringify({ ...entry, personal, previousHash, hash })
    assert.deepEqual(describeFindings(await verify(lines)), ['modified 10'])
  })

  it('refuses versions that it does not know', async () => {
    for (const version of [1, 3]) {
      const [first = '', ...rest] = createExport(0)
      const header = JSON.stringify({ ...JSON.parse(first), version })
      await assert.rejects(verify([header, ...rest]), /header of an export of version 2/)
    }
  })

  const edit = (line: number, from: string | RegExp, to: string) => (lines: string[]) => {
    assert.match(lines[line] ?? '', from instanceof RegExp ? from : new RegExp(RegExp.escape(from)))
    lines[line] = (lines[line] ?? '').replace(from, to)
  }
  const LAST = ENTRIES + 1
  const DISGUISES: readonly [string, (lines: string[]) => void, string][] = [
    [
      'a second action before the first',
      edit(5, '{', '{"action":"account.deleted",'),
      'modified 6',
    ],
    [
      'a second action after the first',
      edit(5, /}$/, ',"action":"account.updated"}'),
      'modified 6',
    ],
    [
      'a second member inside of the actor',
      edit(5, '{"kind"', '{"kind":"system","kind"'),
      'modified 6',
    ],
    ['another member of an entry', edit(5, /}$/, ',"note":1}'), 'modified 6'],
    [
      'another member beside the salts',
      edit(5, '"personal":{', '"personal":{"note":1,'),
      'modified 6',
    ],
    ['another member beside a salt', edit(5, '{"salt"', '{"note":1,"salt"'), 'modified 6'],
    ['a number that is written otherwise', edit(5, '"sequence":5', '"sequence":5.0'), 'modified 6'],
    ['a number with an exponent', edit(5, '"sequence":5', '"sequence":5e0'), 'modified 6'],
    ['an escape', edit(5, 'account.updated', 'account\\u002eupdated'), 'modified 6'],
    ['white space in a line', edit(5, ':', ': '), 'modified 6'],
    ['white space before a line', edit(5, /^/, ' '), 'modified 6'],
    ['a CR at the end of a line', edit(5, /$/, '\r'), 'modified 6'],
    ['a NUL at the end of a line', edit(5, /$/, '\0'), 'modified 6'],
    ['a byte order mark', edit(0, /^/, '\ufeff'), 'refused'],
    ['another range', edit(0, '2026-11-01', '2026-11-02'), 'modified 1'],
    ['another time of the export', edit(0, '2026-11-26', '2026-11-27'), 'modified 1'],
    ['another workspace', edit(0, 'wsp_1', 'wsp_2'), 'modified 1'],
    ['another member of the first line', edit(0, '{', '{"note":1,'), 'modified 1'],
    ['a second range in the first line', edit(0, '{', '{"to":null,'), 'modified 1'],
    ['another member of the last line', edit(LAST, /}$/, ',"note":1}'), `modified ${LAST + 1}`],
    ['a second hash in the last line', edit(LAST, /}$/, ',"hash":""}'), `modified ${LAST}`],
    [
      'a last line without the hash of the first',
      edit(LAST, /,"headerHash":"[^"]*"/, ''),
      'modified 1',
    ],
    ['the last line twice', (lines) => void lines.push(lines[LAST] ?? ''), `inserted ${LAST + 2}`],
    [
      'an entry after the last line',
      (lines) => void lines.push(lines[4] ?? ''),
      `inserted ${LAST + 2}`,
    ],
    ['an empty line at the end', (lines) => void lines.push(''), `inserted ${LAST + 2}`],
    ['an empty line between entries', (lines) => void lines.splice(5, 0, ''), 'inserted 6'],
    ['an entry twice', (lines) => void lines.splice(5, 0, lines[5] ?? ''), 'inserted 7'],
    ['deep nesting', (lines) => void lines.splice(5, 0, '['.repeat(50_000)), 'inserted 6'],
    ['half of the last line', edit(LAST, /"hash".*/, ''), 'incomplete'],
  ]
  for (const [name, change, expected] of DISGUISES)
    it(`reports ${name}`, async () => {
      const lines = createExport(0)
      change(lines)
      const found = await verify(lines).then(describeFindings, () => ['refused'])
      assert.ok(
        found.some((finding) => finding.startsWith(expected)),
        `${expected}, but: ${found.join(', ')}`,
      )
    })

  it('reports the first line of another export of the same entries', async () => {
    const lines = createExport(0)
    lines[0] = JSON.stringify({ ...JSON.parse(lines[0] ?? ''), to: '2026-11-27T00:00:00.000Z' })
    assert.deepEqual(describeFindings(await verify(lines)), ['modified 1'])
  })

  it('reports an export without its end, and refuses another file', async () => {
    assert.deepEqual(describeFindings(await verify(createExport(0).slice(0, -1))), [
      `incomplete ${ENTRIES + 1}`,
    ])
    await assert.rejects(verify(['{}']), /header/)
    await assert.rejects(verify([]), /empty/)
  })

  it('reports a chain that was rewritten after a checkpoint, and a forged checkpoint', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const x = String(publicKey.export({ format: 'jwk' }).x)
    const signer = { keyId: 'key', sign: (bytes: Uint8Array) => sign(null, bytes, privateKey) }
    const lines = createExport(0)
    const { sequence, hash } = JSON.parse(lines[20] ?? '')
    const checkpoint = signCheckpoint(signer, { workspaceId: 'wsp_1', sequence, hash, at: 1 })
    const event = JSON.stringify({ type: 'audit.checkpoint', data: { checkpoint } })
    const compare = async (exported: readonly string[], text: string) => {
      const found = parseCheckpoint(text)
      assert.ok(found)
      const verifier = createCheckpointVerifier([found], x)
      await verifyExport(() => toLines(exported), verifier.compare)
      assert.equal(verifier.compared, 1)
      return verifier.findings.map(({ line, message }) => `${line} ${message}`)
    }
    assert.deepEqual(await compare(lines, event), [])
    assert.match((await compare(createExport(0), event))[0] ?? '', /^21 entry 20 or one before/)
    const forged = JSON.stringify({ ...checkpoint, sequence: 21 })
    assert.match((await compare(lines, forged))[0] ?? '', /no valid signature/)
  })
})
