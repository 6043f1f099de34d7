import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { withInstallLock } from './install-lock.mjs'

describe('The scripts before a start', () => {
  const ROOT = fileURLToPath(new URL('../', import.meta.url))
  const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-lock-'))
  after(() => rmSync(folder, { recursive: true }))

  let lockCount = 0
  const newLockPath = () => path.join(folder, `lock-${++lockCount}`)

  describe('withInstallLock', () => {
    it('makes a second holder wait for the first, and removes the file at the end', async () => {
      const file = newLockPath()
      const events: string[] = []
      const first = withInstallLock(file, async () => {
        events.push('first')
        await delay(300)
        events.push('first ends')
      })
      const second = withInstallLock(file, async () => events.push('second'), {
        onWait: () => events.push('wait'),
      })
      await Promise.all([first, second])
      assert.deepEqual(events, ['first', 'wait', 'first ends', 'second'])
      assert.equal(existsSync(file), false)
    })

    it('removes the file when the work fails, and rejects with its error', async () => {
      const file = newLockPath()
      const failure = new Error('failed')
      await assert.rejects(
        withInstallLock(file, () => Promise.reject(failure)),
        failure,
      )
      assert.equal(existsSync(file), false)
    })

    it('takes over the lock of a process that has exited', async () => {
      const file = newLockPath()
      writeFileSync(file, String(spawnSync(process.execPath, ['--version']).pid))
      assert.equal(
        await withInstallLock(file, async () => readFileSync(file, 'utf8')),
        `${process.pid}`,
      )
    })

    it('takes over an untouched lock whose process ID belongs to another live process', async () => {
      const file = newLockPath()
      writeFileSync(file, String(process.ppid))
      const oneHourAgo = Date.now() / 1_000 - 3_600
      utimesSync(file, oneHourAgo, oneHourAgo)
      assert.equal(
        await withInstallLock(file, async () => readFileSync(file, 'utf8')),
        `${process.pid}`,
      )
    })
  })

  describe('scripts/prepare.mjs', () => {
    it('writes nothing in a prepared tree: it succeeds on a read-only file system', async () => {
      const args = ['--ro-bind', '/', '/', '--dev', '/dev', '--', process.execPath]
      const child = spawn('bwrap', [...args, 'scripts/prepare.mjs'], {
        cwd: ROOT,
        stdio: 'inherit',
      })
      const code = await new Promise((resolve) => child.once('exit', resolve))
      assert.equal(code, 0)
    })

    it('does not look at .prepare.lock when nothing is missing', async () => {
      const lock = path.join(ROOT, '.prepare.lock')
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      try {
        const { status } = spawnSync(process.execPath, ['scripts/prepare.mjs'], {
          cwd: ROOT,
          timeout: 30_000,
        })
        assert.equal(status, 0)
      } finally {
        rmSync(lock)
      }
    })
  })
})
