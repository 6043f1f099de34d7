import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCli } from '../../../../test/main-process.ts'
import { type TestApp, testApp } from '../../../../test/test-app.ts'
import { expectCreated } from '../../../../test/test-context.ts'
import { createAuditChainStore } from '../../../activity/audit/audit-chain-store.ts'
import { createInstanceKeyReader } from '../../../integrations/catalogue/instance-key-store.ts'
import { parseKeys } from '../../../platform/vault/key-ring.ts'
import { createVault } from '../../../platform/vault/vault.ts'

describe('npm run linchpin -- audit verify', () => {
  let t: TestApp
  let folder: string
  let exported: string
  let publicKey: string
  let checkpoints: string
  before(async () => {
    t = await testApp()
    folder = await mkdtemp(path.join(tmpdir(), 'linchpin-verify-'))
    for (let index = 0; index < 5; index += 1)
      expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' } }))
    while ((await createAuditChainStore(t.database).listUnchained(10)).length > 0) await sleep(20)
    publicKey = (await t.call('GET', '!/audit/jwks.json')).body.keys[0].x
    // As after ten minutes.
    const now = Date.now() + 11 * 60_000
    const vault = createVault({
      database: t.database,
      keys: parseKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`),
      now: Date.now,
    })
    const readKey = createInstanceKeyReader({ database: t.database, vault, now: Date.now }, 'audit')
    const [checkpoint] = await createAuditChainStore(t.database).publishCheckpoints(
      [t.workspaceId],
      { now, signer: await readKey() },
    )
    // Last: the export is an entry itself, and a checkpoint of an entry that is not exported cannot be compared.
    exported = (await t.call('GET', '/v1/audit/export')).text
    checkpoints = `not JSON\n{"msg":"something else"}\n${JSON.stringify({ level: 'info', checkpoint })}\n`
  })
  after(async () => {
    await rm(folder, { recursive: true })
    await t.close()
  })

  const verify = async (text: string, ...args: string[]) => {
    const file = path.join(folder, 'export.jsonl')
    await writeFile(file, text)
    await writeFile(path.join(folder, 'log.jsonl'), checkpoints)
    return runCli(['audit', 'verify', file, ...args], {})
  }
  const withCheckpoints = () => [
    ...['--checkpoints', path.join(folder, 'log.jsonl')],
    ...['--public-key', publicKey],
  ]

  it('exits 0 for an export of the service and its checkpoints', async () => {
    const { code, stdout } = await verify(exported, ...withCheckpoints())
    assert.equal(code, 0, stdout)
    assert.match(stdout, /entries \(1 to \d+\): nothing was changed\n1 checkpoints compared/)
  })

  it('says that no checkpoint is of the export', async () => {
    const { stderr } = await verify(exported, '--checkpoints', path.join(folder, 'export.jsonl'))
    assert.match(stderr, /^No checkpoint in .*export\.jsonl is one of the entries in/)
  })

  it('exits 1 and prints the line of a change', async () => {
    const changed = exported.replace('"link.created"', '"link.revoked"')
    const { code, stdout } = await verify(changed)
    const line = exported.split('\n').findIndex((text) => text.includes('"link.created"')) + 1
    assert.equal(code, 1)
    assert.match(stdout, new RegExp(`export.jsonl:${line}: modified: `))
  })

  it('exits 1 for a file with other line ends, an empty line or a duplicate member, and 2 for an empty one', async () => {
    const lines = exported.trimEnd().split('\n')
    const changed = [
      exported.replaceAll('\n', '\r\n'),
      `${exported}\n`,
      exported.replace(
        '"action":"link.created"',
        '"action":"link.revoked","action":"link.created"',
      ),
      exported.replace(/"exportedAt":"\d/, '"exportedAt":"1'),
      lines.slice(0, -1).join('\n'),
    ]
    for (const text of changed) assert.equal((await verify(text)).code, 1, text.slice(0, 200))
    assert.equal((await verify(exported.trimEnd())).code, 0, 'the last LF')
    assert.equal((await verify('')).code, 2)
  })

  it('exits 1 for checkpoints that another key signed', async () => {
    const other = Buffer.alloc(32, 3).toString('base64url')
    const { code, stdout } = await verify(exported, ...withCheckpoints().slice(0, 3), other)
    assert.equal(code, 1)
    assert.match(stdout, /no valid signature/)
  })

  it('exits 1 for another key that begins with a hyphen', async () => {
    const other = `-${'A'.repeat(42)}`
    const { code, stdout } = await verify(exported, ...withCheckpoints().slice(0, 3), other)
    assert.equal(code, 1)
    assert.match(stdout, /no valid signature/)
  })

  it('exits 64 with the usage for wrong arguments', async () => {
    for (const args of [
      [],
      ['a', 'b'],
      ['a', '--public-key', 'x'],
      ['a', '--unknown'],
      ['a', '--checkpoints'],
    ]) {
      const { code, stderr } = await runCli(['audit', 'verify', ...args], {})
      assert.equal(code, 64, args.join(' '))
      assert.match(stderr, /^audit verify: .*\nUsage:\n {2}linchpin audit verify FILE/)
    }
  })

  it('exits 2 for a file that is missing or not an export', async () => {
    const missing = path.join(folder, 'missing')
    const { code, stderr } = await runCli(['audit', 'verify', missing], {})
    assert.deepEqual([code, stderr], [2, `audit verify: there is no file ${missing}.\n`])
    // It takes the place of the checkpoints, too: there are none in it.
    assert.equal((await verify('{}\n')).code, 2)
  })
})
