import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runCli } from '../test/run-cli.ts'

describe('linchpin-kit new', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kit-new-'))
  })
  after(() => rm(folder, { recursive: true }))

  const acme = ['--name', "Acme's Desk", '--base-url', 'https://api.acme.test/v2/']

  it('writes integrations that pass their test, for every way to authenticate', async () => {
    const ways = ['bearer', 'header', 'query', 'basic', 'oauth2']
    const written = await Promise.all(
      ways.map((way) => runCli('new', folder, ...acme, '--key', way, '--auth', way)),
    )
    assert.deepEqual(
      written.map(({ code, err }) => [code, err]),
      ways.map(() => [0, '']),
    )
    const tested = await runCli('test', ...ways.map((way) => join(folder, `${way}.ts`)))
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
    ] as const) {
      const { code, err } = await runCli('new', place, ...args)
      assert.equal(code, 2)
      assert.match(err, words)
    }
    await assert.rejects(readdir(place))
  })

  it('does not overwrite what is there', async () => {
    const args = ['new', folder, ...acme, '--key', 'twice']
    assert.equal((await runCli(...args)).code, 0)
    const { code, err } = await runCli(...args)
    assert.equal(code, 1)
    assert.match(err, /twice\.ts is there already/)
  })
})
