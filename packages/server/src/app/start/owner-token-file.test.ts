import assert from 'node:assert/strict'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { createDataFolder } from '../../../test/main-process.ts'
import { warnAboutOwnerTokenFile, writeOwnerToken } from './owner-token-file.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

it('warnAboutOwnerTokenFile: warns at once and once a day until the file is deleted', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const folder = await createDataFolder()
  const file = await writeOwnerToken(folder, 'lp_secret')
  const lines: unknown[][] = []
  const log = { warn: (...line: unknown[]) => void lines.push(line) }
  const shutdown = new AbortController()
  await warnAboutOwnerTokenFile(folder, log, shutdown.signal)
  assert.deepEqual(
    lines.map(([fields]) => fields),
    [{ file }],
  )
  assert.doesNotMatch(JSON.stringify(lines), /lp_/)
  t.mock.timers.tick(DAY_MS - 1)
  t.mock.timers.tick(1)
  await t.waitFor(() => assert.equal(lines.length, 2), { timeout: 10_000 })
  await rm(file)
  await warnAboutOwnerTokenFile(folder, log, shutdown.signal)
  assert.equal(lines.length, 2, 'no warning after the file was deleted')
  await writeOwnerToken(folder, 'lp_secret')
  shutdown.abort()
  t.mock.timers.tick(2 * DAY_MS)
  await warnAboutOwnerTokenFile(folder, log, shutdown.signal)
  assert.equal(lines.length, 3, 'the signal stopped the timer')
})

it('writeOwnerToken: leaves no other file when it fails', async () => {
  const folder = await createDataFolder()
  await mkdir(join(folder, 'owner-token'))
  await assert.rejects(writeOwnerToken(folder, 'lp_secret'), { code: 'EISDIR' })
  assert.deepEqual(await readdir(folder), ['owner-token'])
})
