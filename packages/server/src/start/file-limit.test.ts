import assert from 'node:assert/strict'
import { it } from 'node:test'
import { watchFileLimit } from './file-limit.ts'

it('watchFileLimit: logs EMFILE and ENFILE with their code, at most once a minute, and nothing else', () => {
  let now = 0
  let code: string | undefined
  const lines: unknown[] = []
  const log = { error: (facts: unknown) => void lines.push(facts) }
  const probe = () => {
    if (code !== undefined) throw Object.assign(new Error('open'), { code })
  }
  const limit = watchFileLimit(log, () => now, probe)
  limit.look()
  code = 'ENOENT'
  limit.look()
  limit.note('connect ECONNREFUSED')
  assert.deepEqual(lines, [])
  code = 'EMFILE'
  limit.look()
  limit.look()
  limit.note('connect EMFILE 203.0.113.9:443')
  assert.deepEqual(lines, [{ code: 'EMFILE' }])
  now += 60_000
  limit.note('socket ENFILE')
  assert.deepEqual(lines, [{ code: 'EMFILE' }, { code: 'ENFILE' }])
  limit.stop()
})
