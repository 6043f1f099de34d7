import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { GOALS } from './goals.ts'
import { readOutput } from './outcome.ts'
import { PROOFS, TEST_PROOFS } from './proofs.ts'
import { renderReport } from './render-report.ts'
import { runProof, toProgram } from './run-proof.ts'
import type { TestProof } from './test-proof.ts'

const PROGRAM = path.join(import.meta.dirname, '../proof.ts')

describe('npm run proof', () => {
  it('lists every proof with its promise and its variables', () => {
    const { status, stdout } = spawnSync(process.execPath, ['--no-warnings', PROGRAM, '--list'])
    assert.equal(status, 0)
    for (const { name, promise } of PROOFS) {
      assert.ok(String(stdout).includes(`\n  ${name} `), name)
      assert.ok(String(stdout).includes(promise), name)
    }
    assert.match(String(stdout), /\(KILL_ROUNDS/)
  })

  it('exits with 2 for an unknown name', () => {
    const { status, stdout } = spawnSync(process.execPath, ['--no-warnings', PROGRAM, 'nothing'])
    assert.equal(status, 2)
    assert.match(String(stdout), /^Usage: /)
  })

  it('has files for every proof, and different names', () => {
    for (const { name, files } of TEST_PROOFS)
      for (const file of files) assert.ok(globSync(file).length > 0, `${name}: ${file}`)
    assert.equal(new Set(PROOFS.map(({ name }) => name)).size, PROOFS.length)
  })

  it('changes only variables of the full length when all run', () => {
    for (const { name, environment, brief = {} } of TEST_PROOFS)
      for (const variable of Object.keys(brief)) {
        const isKnown = variable in environment || name === 'refresh-scale'
        assert.ok(isKnown, `${name}: ${variable}`)
      }
  })

  it('fails a proof that fails, and one that takes too long, of which no process is left', async (t) => {
    const failing = await writeTest(
      t,
      `it('fails', (t) => { t.diagnostic('seed 7'); assert.fail() })`,
    )
    const outcome = await runSilently(failing)
    assert.deepEqual([outcome.result, outcome.passed, outcome.failed], ['failed', 0, 1])
    assert.deepEqual(outcome.figures, ['seed 7'])
    const late = await writeTest(
      t,
      `it('hangs', async () => { const { spawn } = await import('node:child_process')
        spawn('sleep', ['60.7353'], { stdio: 'ignore' }); await new Promise((resolve) => setTimeout(resolve, 60_000)) })`,
    )
    assert.equal((await runSilently({ ...late, limitMinutes: 0.05 })).result, 'timed out')
    assert.equal(spawnSync('pgrep', ['-f', 'sleep 60.7353']).status, 1)
  })
})

describe('The report of the proofs', () => {
  it('shows result, repetitions, figures, commit and date of both forms, and what was not run', () => {
    const proof = { name: 'a', promise: 'It holds.', attack: 'It is pushed.', limitMinutes: 1 }
    const full = {
      ...({ name: 'a', result: 'passed', repetitions: { TIMES: '9' } } as const),
      figures: ['seed 3'],
      passed: 2,
      failed: 0,
      seconds: 4,
      commit: 'abc',
      date: '2026-01-02',
    }
    const brief = { ...full, isBrief: true, result: 'timed out', date: '2026-01-03' } as const
    const goals = [
      { figure: 'nine times', proofs: ['a'] },
      { figure: 'ten times', proofs: ['a', 'b'], remark: 'See above.' },
    ]
    const proofs = [proof, { ...proof, name: 'b' }]
    const text = renderReport({ proofs, goals, outcomes: [full, brief] })
    assert.ok(text.includes('| [a](#a) | It holds. | passed, 2026-01-02 | timed out, 2026-01-03 |'))
    assert.match(
      text,
      /Full length: \*\*passed\*\* on 2026-01-02 \(commit abc\) in 4 s, 2 tests passed, 0 failed\. Repetitions: `TIMES=9`\./,
    )
    assert.match(text, /```\nseed 3\n```\n\nShort form: \*\*timed out\*\*/)
    assert.match(text, /\| \[b\]\(#b\) \| It holds\. \| not run \|/)
    assert.match(text, /\| nine times \| \[a\]\(#a\) \| reached \|/)
    assert.match(text, /\| ten times \| \[a\]\(#a\), \[b\]\(#b\) \| not run \| See above\. \|/)
  })

  it('names only proofs that exist for the figures', () => {
    const names = PROOFS.map(({ name }) => name)
    for (const { figure, proofs } of GOALS)
      assert.ok(
        proofs.every((name) => names.includes(name)),
        figure,
      )
  })

  it('has the lines that tests print, without the counts of the runner', () => {
    const output =
      'ℹ seed 5\n✔ a (1ms)\n  ℹ 12 of 12\nℹ tests 3\nℹ pass 2\nℹ fail 1\nℹ duration_ms 9\n'
    assert.deepEqual(readOutput(output), { figures: ['seed 5', '12 of 12'], passed: 2, failed: 1 })
  })
})

async function writeTest(t: TestContext, code: string): Promise<TestProof> {
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-proof-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'a.test.mjs')
  writeFileSync(
    file,
    `import assert from 'node:assert/strict'\nimport { it } from 'node:test'\n${code}\n`,
  )
  return { name: 'a', promise: '', attack: '', limitMinutes: 1, files: [file], environment: {} }
}

function runSilently(proof: TestProof) {
  return runProof(proof, toProgram(proof, { isBrief: false }), () => {})
}
