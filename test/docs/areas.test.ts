import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { AREAS, PROGRAMS } from '../../scripts/areas.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const list = (pattern: string) =>
  globSync(pattern, { cwd: ROOT })
    .map((file) => path.basename(file, '.ts'))
    .filter((name) => !name.endsWith('.test') && name !== 'README.md' && name !== 'test')
    .toSorted()

describe('The areas of the server', () => {
  it('are listed in docs/architecture.md as scripts/areas.ts has them', () => {
    const architecture = read('docs/architecture.md')
    assert.ok(architecture.includes(`\`${AREAS.map(({ name }) => name).join(' > ')}\``))
    for (const { name, members } of AREAS) {
      const order = members.map((group) => group.join(', ')).join(' > ')
      assert.ok(architecture.includes(`| \`${name}\` | \`${order}\` |`), `${name}: ${order}`)
    }
  })

  it('contain every folder and file of the server and no missing one', () => {
    const names = AREAS.map(({ name }) => name)
    assert.deepEqual(list('packages/server/src/*'), [...names, ...PROGRAMS].toSorted())
    for (const { name, members } of AREAS)
      assert.deepEqual(list(`packages/server/src/${name}/*`), members.flat().toSorted())
  })

  it('say in at most ten lines what they are for, what others import, and where to start reading', () => {
    for (const { name, members } of AREAS) {
      const text = read(`packages/server/src/${name}/README.md`)
      assert.ok(text.trim().split('\n').length <= 10, name)
      for (const member of members.flat()) assert.ok(text.includes(`\`${member}`), member)
      for (const [, file = ''] of text.matchAll(/`([\w-]+\/[\w/-]+\.ts)`/g))
        assert.ok(read(`packages/server/src/${name}/${file}`), file)
    }
  })

  it('and all packages are in the map of AGENTS.md', () => {
    const map = read('AGENTS.md').split('\n## Map\n')[1]?.split('\n## ')[0] ?? ''
    const packages = globSync('packages/*/', { cwd: ROOT }).map((one) => path.basename(one))
    assert.ok(packages.length >= 5)
    const names = [...AREAS.map(({ name }) => name), ...packages]
    assert.deepEqual(
      names.filter((name) => !map.includes(`${name}/`)),
      [],
    )
  })
})
