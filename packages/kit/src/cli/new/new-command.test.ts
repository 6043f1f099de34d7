import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runCli } from '../test/run-cli.ts'
import { WAYS } from './ways.ts'

describe('linchpin-kit new', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kit-new-'))
  })
  after(() => rm(folder, { recursive: true }))

  const acme = ['--name', "Acme's Desk", '--base-url', 'https://api.acme.test/v2/']

  it('writes integrations that pass their test, for every way to authenticate', async () => {
    const ways = Object.keys(WAYS).map((way) => [way, way.replaceAll('-', '_')] as const)
    const written = await Promise.all(
      ways.map(([way, key]) => runCli('new', folder, ...acme, '--key', key, '--auth', way)),
    )
    assert.deepEqual(
      written.map(({ code, err }) => [code, err]),
      ways.map(() => [0, '']),
    )
    const tested = await runCli('test', ...ways.map(([, key]) => join(folder, `${key}.ts`)))
    assert.equal(tested.code, 0, tested.out + tested.err)
    assert.equal(tested.out.match(/✓ passes the lint/g)?.length, ways.length)
    assert.match(tested.out, /✓ OAuth2: renews what has expired/)
    assert.doesNotMatch(tested.out, /lack signIn/)
  })

  it('writes one for a provider that people run themselves', async () => {
    const own = ['--name', 'Own', '--base-url', '${base_url}/api', '--auth', 'oauth2']
    assert.equal((await runCli('new', folder, ...own)).code, 0)
    const tested = await runCli('test', join(folder, 'own.ts'))
    assert.equal(tested.code, 0, tested.out + tested.err)
    assert.match(tested.out, /✓ OAuth2: says that the provider is not at this address/)
  })

  it('writes one for a provider where each customer has a host of their own', async () => {
    const place = 'https://${subdomain}.acme.test:8443/${team}/v1'
    for (const way of ['basic', 'two-step-login']) {
      const key = `own_${way.replaceAll('-', '_')}`
      const own = ['--name', 'Own', '--key', key, '--base-url', place, '--auth', way]
      assert.equal((await runCli('new', folder, ...own)).code, 0)
      const tested = await runCli('test', join(folder, `${key}.ts`))
      assert.equal(tested.code, 0, tested.out + tested.err)
      const source = await readFile(join(folder, `${key}.ts`), 'utf8')
      assert.match(source, /hosts: \['\*\.acme\.test'\]/)
    }
  })

  it('takes what no flag says from the others', async () => {
    const { code } = await runCli('new', join(folder, 'deep', 'er'), ...acme)
    assert.equal(code, 0)
    const source = await readFile(join(folder, 'deep', 'er', 'acme_s_desk.ts'), 'utf8')
    assert.match(source, /name: 'Acme\\'s Desk'/)
    assert.match(source, /apiBaseUrl: 'https:\/\/api\.acme\.test\/v2',/)
    assert.match(source, /docs: 'https:\/\/api\.acme\.test\/docs'/)
  })

  it('says which flag is missing or wrong, and writes nothing', async () => {
    const place = join(folder, 'none')
    for (const [args, words] of [
      [['--name', 'Acme'], /--base-url is needed/],
      [[...acme, '--auth', 'magic'], /--auth is one of bearer, header/],
      [[...acme, '--key', 'A-b'], /--key is lower case/],
      [[...acme, '--category', 'x'], /--category is one of HRIS/],
      [[...acme, '--docs', "https://a.test/'x"], /--docs is an https URL/],
      [[...acme, '--loud', 'x'], /--loud/],
      [[...acme, 'another'], /Name one folder/],
    ] as const) {
      const { code, err } = await runCli('new', place, ...args)
      assert.equal(code, 2)
      assert.match(err, words)
    }
    await assert.rejects(readdir(place))
  })

  it('writes hosts in lower case, and says when the folder is none', async () => {
    const loud = ['--name', 'Loud', '--base-url', 'https://API.Acme.test/V2']
    assert.equal((await runCli('new', folder, ...loud)).code, 0)
    const path = join(folder, 'loud.ts')
    assert.match(await readFile(path, 'utf8'), /apiBaseUrl: 'https:\/\/api\.acme\.test\/V2'/)
    const { code, err } = await runCli('new', path, ...acme)
    assert.deepEqual([code, /loud\.ts is no folder/.test(err)], [1, true])
  })

  it('does not overwrite what is there', async () => {
    const args = ['new', folder, ...acme, '--key', 'twice']
    assert.equal((await runCli(...args)).code, 0)
    const { code, err } = await runCli(...args)
    assert.equal(code, 1)
    assert.match(err, /twice\.ts is there already/)
  })
})
