import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join, parse } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build, MAX_BUNDLE_BYTES } from '../build/build.ts'
import { lintFile } from '../build/lint-file.ts'
import { fixturesPath, loadFixtures } from './load-fixtures.ts'
import { runIntegrationTest } from './run-integration-test.ts'
import { startTestSandbox, type TestSandbox } from './test-sandbox.ts'

/**
 * Tests one integration in the real sandbox, as a suite of node:test. Its fixtures are next to it: `<key>.fixtures.ts` or `.json`.
 */
export function testIntegration(file: string | URL): void {
  testAll([toPath(file)])
}

/** Tests every integration in a folder: each entry, and each `<key>.ts` that is neither a fixtures nor a test file. */
export function testIntegrations(folder: string | URL): void {
  const path = toPath(folder)
  const names = readdirSync(path).filter((name) => /^[^.]+\.(?:json|ts)$/.test(name))
  testAll(names.sort().map((name) => join(path, name)))
}

function testAll(files: readonly string[]): void {
  let sandbox: TestSandbox
  before(async () => {
    sandbox = await startTestSandbox()
  })
  after(() => sandbox.close())
  for (const file of files) {
    describe(parse(file).name, () => {
      it('does what its provider documents, in the real sandbox', async (t) => {
        const [{ code, size }, fixtures] = await Promise.all([
          build(file),
          loadFixtures(fixturesPath(file)),
        ])
        const { errors } = await lintFile(file)
        await t.test('is small', () => assert.ok(size <= MAX_BUNDLE_BYTES, `${size} bytes`))
        await t.test('passes the lint', () => assert.deepEqual(errors, []))
        for (const { title, errors } of await runIntegrationTest(sandbox, code, fixtures)) {
          await t.test(title, () => assert.deepEqual(errors, []))
        }
      })
    })
  }
}

function toPath(file: string | URL): string {
  return typeof file === 'string' && !file.startsWith('file:') ? file : fileURLToPath(file)
}
