import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Database } from '../../platform/storage/database.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import { startIntegrityCheck } from './start-service.ts'

describe('startIntegrityCheck', () => {
  const run = (checkIntegrity: Database['checkIntegrity'], delayMs: number) => {
    const fatal: unknown[] = []
    const warnings: unknown[] = []
    const check = startIntegrityCheck(
      {
        database: { checkIntegrity },
        log: { warn: (fields: unknown) => void warnings.push(fields) },
        onFatal: (error) => void fatal.push(error),
      },
      delayMs,
    )
    return { check, fatal, warnings }
  }

  it('reports damage as fatal, and only warns when the check cannot run', async (t) => {
    const damage = new StorageError('corrupt', 'The database file is damaged: page 4')
    const damagedRun = run(() => Promise.reject(damage), 0)
    await t.waitFor(() => assert.deepEqual(damagedRun.fatal, [damage]))
    const failure = new Error('spawn EAGAIN')
    const failing = run(() => Promise.reject(failure), 0)
    await t.waitFor(() => assert.deepEqual(failing.warnings, [{ err: failure }]))
    assert.deepEqual([damagedRun.warnings, failing.fatal], [[], []])
  })

  it('ends at once when it is stopped, before the check and during it', async (t) => {
    const before = run(() => assert.fail('the check started'), 60_000)
    await before.check.stop()
    let isRunning = false
    const during = run(
      (signal) =>
        new Promise((_resolve, reject) => {
          isRunning = true
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
      0,
    )
    await t.waitFor(() => assert.ok(isRunning))
    await during.check.stop()
    assert.deepEqual([before.warnings, during.warnings, during.fatal], [[], [], []])
  })
})
