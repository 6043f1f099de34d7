import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Runner, RunnerError } from '@linchpin/runner'
import { loadSpec } from './validate-spec.ts'

/** The errors that only a machine under load produces cannot be produced at will by a real runner. */
const failWith = (error: RunnerError): Runner =>
  ({ run: () => Promise.reject(error) }) as unknown as Runner

describe('SPEC of a bundle', () => {
  const load = (runner: Runner) =>
    loadSpec(runner, 'a'.repeat(64), new Uint8Array(), { workspaceId: 'wsp_a' })

  it('is no verdict when time ran out or the process crashed', async () => {
    for (const code of ['integration_timeout', 'integration_failed'] as const) {
      const error = new RunnerError(code, 'x', 'none', undefined, undefined, undefined, false)
      await assert.rejects(load(failWith(error)), error)
    }
    await assert.rejects(load(failWith(new RunnerError('overloaded', 'x'))), { code: 'overloaded' })
  })

  it('is a verdict when the bundle itself failed', async () => {
    const error = new RunnerError('integration_timeout', 'The integration exceeded its CPU time.')
    await assert.rejects(load(failWith(error)), { code: 'bundle_invalid' })
  })
})
