import assert from 'node:assert/strict'
import { it } from 'node:test'
import { monitorFileDescriptors } from './open-runtime.ts'

it('monitorFileDescriptors: logs EMFILE and ENFILE with their code, at most once a minute, and nothing else', () => {
  let now = 0
  let code: string | undefined
  const lines: unknown[] = []
  const log = { error: (fields: unknown) => void lines.push(fields) }
  const probe = () => {
    if (code !== undefined) throw Object.assign(new Error('open'), { code })
  }
  const monitor = monitorFileDescriptors(log, () => now, probe)
  monitor.check()
  code = 'ENOENT'
  monitor.check()
  monitor.recordMessage('connect ECONNREFUSED')
  assert.deepEqual(lines, [])
  code = 'EMFILE'
  monitor.check()
  monitor.check()
  monitor.recordMessage('connect EMFILE 203.0.113.9:443')
  assert.deepEqual(lines, [{ code: 'EMFILE' }])
  now += 60_000
  monitor.recordMessage('socket ENFILE')
  assert.deepEqual(lines, [{ code: 'EMFILE' }, { code: 'ENFILE' }])
  monitor.stop()
})
