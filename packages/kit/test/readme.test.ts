import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { runCli } from '../src/cli/test/run-cli.ts'

it('packages/kit/README.md: the printed integration and fixtures pass their test', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kit-guide-'))
  t.after(() => rm(folder, { recursive: true }))
  const guide = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const [integration = '', fixtures = ''] = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(
    ([, code = '']) => code,
  )
  await writeFile(join(folder, 'acme_desk.ts'), integration)
  await writeFile(join(folder, 'acme_desk.fixtures.ts'), fixtures)
  const { out, err } = await runCli('test', join(folder, 'acme_desk.ts'))
  assert.match(out, /✓ Api Key: identifies the user\nall tests passed\n$/, out + err)
})
