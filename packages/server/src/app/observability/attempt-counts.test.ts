import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Registry } from 'prom-client'
import type { CountedAttempt } from '../../platform/record/attempt.ts'
import { newId } from '../../platform/storage/id.ts'
import { createInstruments } from './metrics/instruments.ts'
import { createAttemptCounts, registerAttemptMetrics } from './metrics/work-metrics.ts'

const HOSTILE = `a"} 1\nlinchpin_forged{x="\u001b[31m\\`

describe('linchpin_connect_attempts_total', () => {
  const definitionId = newId('def', 0)
  const attempt: CountedAttempt = {
    workspaceId: newId('wsp', 0),
    definition: { definitionId, key: 'hubspot', latestVersion: '1.0.0' },
    method: 'credentials',
    outcome: 'failed',
    code: 'credentials_rejected',
  }
  const read = async (attempts: readonly CountedAttempt[]) => {
    const [counts, registry] = [createAttemptCounts(), new Registry()]
    registerAttemptMetrics(createInstruments(registry), counts)
    for (const each of attempts) counts.add(each)
    const text = await registry.metrics()
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  }
  const line = (definition: string, code: string, count = 1, outcome = 'failed') =>
    `linchpin_connect_attempts_total{definition="${definition}",method="credentials",outcome="${outcome}",code="${code}"} ${count}`

  it('is labelled by the key in the catalogue, else custom, and unknown without a definition', async () => {
    const custom = { definitionId, key: 'hubspot', latestVersion: null }
    assert.deepEqual(
      await read([
        ...[attempt, attempt, { ...attempt, definition: custom }],
        ...[{ ...attempt, definition: undefined }],
        { ...attempt, outcome: 'connected', code: null },
      ]),
      [
        line('hubspot', 'credentials_rejected', 2),
        line('custom', 'credentials_rejected'),
        line('unknown', 'credentials_rejected'),
        line('hubspot', '', 1, 'connected'),
      ],
    )
  })

  it('has no label with a text that a tenant, a provider or a registry chooses', async () => {
    for (const text of [HOSTILE, 'x'.repeat(10_000), '', '__proto__', 'secret-canary'])
      assert.deepEqual(
        await read([
          { ...attempt, definition: { definitionId, key: text, latestVersion: null } },
          { ...attempt, code: text },
        ]),
        [line('custom', 'credentials_rejected'), line('hubspot', 'other')],
      )
    const unnamed = {
      ...attempt,
      definition: { definitionId, key: HOSTILE, latestVersion: '1.0.0' },
    }
    assert.deepEqual(await read([unnamed]), [line('custom', 'credentials_rejected')])
  })

  it('has at most 1,001 tools, however many a registry offers', async () => {
    const attempts = Array.from({ length: 3_000 }, (_, index) => ({
      ...attempt,
      definition: { definitionId, key: `tool_${index}`, latestVersion: '1.0.0' },
    }))
    const lines = await read(attempts)
    assert.equal(lines.length, 1_001)
    assert.equal(lines.at(-1), line('other', 'credentials_rejected', 2_000))
  })
})
