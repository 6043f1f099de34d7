import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { PLACEHOLDERS } from '../../lint/placeholders.ts'
import { runCli } from '../test/run-cli.ts'
import { parseAnswers } from './answers.ts'
import { AUTH_TEMPLATES } from './auth-templates.ts'
import { writeFixtures, writeIntegration } from './new-command.ts'

describe('linchpin-kit new', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kit-new-'))
  })
  after(() => rm(folder, { recursive: true }))

  const acme = ['--name', "Acme's Desk", '--base-url', 'https://api.acme.test/v2/']

  it('writes integrations that pass their test, for every authentication method and kind of host', async () => {
    const authTemplates = Object.keys(AUTH_TEMPLATES).map(
      (authTemplate) => [authTemplate, acme.slice(2), authTemplate] as const,
    )
    const ownHost = ['--base-url', 'https://${subdomain}.acme.test:8443/${team}/v1']
    const cases = [
      ...authTemplates,
      ['own', ['--base-url', '${base_url}/api'], 'oauth2'],
      ['host', ownHost, 'two-step-login'],
    ] as const
    const keys = cases.map(([name]) => name.replaceAll('-', '_'))
    for (const [at, [, [, url = ''], auth]] of cases.entries()) {
      const answers = parseAnswers({ name: "Acme's", 'base-url': url, key: keys[at] ?? '', auth })
      await writeFile(join(folder, `${keys[at]}.ts`), writeIntegration(answers))
      await writeFile(join(folder, `${keys[at]}.fixtures.ts`), writeFixtures(answers))
    }
    const tested = await runCli('test', ...keys.map((key) => join(folder, `${key}.ts`)))
    assert.equal(tested.code, 0, tested.out + tested.err)
    assert.equal(tested.out.match(/✓ passes the lint/g)?.length, keys.length)
    assert.equal(tested.out.match(/- can be published: .* to replace/g)?.length, keys.length)
    assert.match(tested.out, /✓ OAuth2: refreshes expired tokens/)
    assert.match(tested.out, /✓ OAuth2: reports a wrong address/)
    assert.doesNotMatch(tested.out, /lack signIn/)
    assert.match(await readFile(join(folder, 'host.ts'), 'utf8'), /hosts: \['\*\.acme\.test'\]/)
  })

  it('writes entries that pass their check and their test once the placeholders are replaced, for every authentication method and kind of host', async () => {
    const data = join(folder, 'entries')
    const flags = [
      ...Object.keys(AUTH_TEMPLATES).map((auth) => [auth, 'https://api.acme.test/v2'] as const),
      ['oauth2', '${base_url}/api'],
      ['two-step-login', 'https://${subdomain}.acme.test:8443/${team}/v1'],
    ] as const
    const paths: string[] = []
    for (const [at, [auth, url]] of flags.entries()) {
      const key = `entry_${at}`
      const args = ['--entry', '--name', 'Acme', '--key', key, '--auth', auth, '--base-url', url]
      const { code, out, err } = await runCli('new', data, ...args)
      assert.equal(code, 0, out + err)
      const path = join(data, `${key}.json`)
      paths.push(path)
      assert.match(out, new RegExp(`Next: npx linchpin-kit test .*${key}\\.json`))
      assert.match((await runCli('check', path)).err, /is the placeholder/)
      for (const each of [path, join(data, `${key}.fixtures.json`)]) {
        const text = (await readFile(each, 'utf8'))
          .replaceAll(PLACEHOLDERS.docs, 'https://acme.test/docs')
          .replaceAll(PLACEHOLDERS.help, 'In your profile.')
          .replaceAll(PLACEHOLDERS.hint, 'It has to be allowed to read users.')
          .replaceAll(PLACEHOLDERS.path, '/oauth/')
        await writeFile(each, text)
      }
    }
    const checked = await runCli('check', ...paths)
    assert.equal(checked.code, 0, checked.err)
    const tested = await runCli('test', ...paths)
    assert.equal(tested.code, 0, tested.out + tested.err)
    assert.ok((await readdir(data)).includes('entry.schema.json'))
  })

  it('writes a project around the first integration of a folder, and leaves one that exists', async () => {
    const project = join(folder, 'project')
    assert.match(
      (await runCli('new', project, ...acme)).out,
      /acme_s_desk\.ts, .* and .*tsconfig\.json/,
    )
    const read = async (name: string) => JSON.parse(await readFile(join(project, name), 'utf8'))
    const manifest = await read('package.json')
    assert.equal(manifest.scripts.test, 'linchpin-kit test acme_s_desk.ts')
    const kit = new URL('../../../package.json', import.meta.url)
    const { version } = JSON.parse(await readFile(kit, 'utf8'))
    assert.equal(manifest.devDependencies['@linchpin/kit'], version)
    assert.equal((await read('tsconfig.json')).compilerOptions.strict, true)
    const second = ['--name', 'Other', '--base-url', 'https://api.other.test']
    assert.doesNotMatch((await runCli('new', join(project, 'more'), ...second)).out, /json/)
    assert.deepEqual((await readdir(join(project, 'more'))).sort(), [
      'other.fixtures.ts',
      'other.ts',
    ])
  })

  it('derives missing answers from other flags', async () => {
    const { code } = await runCli('new', join(folder, 'deep', 'er'), ...acme)
    assert.equal(code, 0)
    const source = await readFile(join(folder, 'deep', 'er', 'acme_s_desk.ts'), 'utf8')
    assert.match(source, /name: 'Acme\\'s Desk'/)
    assert.match(source, /apiBaseUrl: 'https:\/\/api\.acme\.test\/v2',/)
    assert.match(source, /docs: 'https:\/\/example\.com\/docs'/)
  })

  it('lists what to replace, which check refuses until the author has replaced it', async () => {
    const path = join(folder, 'refused')
    const urls = ['authorizationUrl', 'tokenUrl'].map((name) => `auth.OAuth2.${name}`)
    for (const [auth, names] of [
      ['bearer', ['auth.Token.fields.token.help']],
      ['header', ['auth.Api Key.fields.api_key.help']],
      ['query', ['auth.Api Key.fields.api_key.help']],
      ['basic', ['auth.Basic.fields.password.help']],
      ['oauth2', urls],
      ['client-credentials', ['auth.Client credentials.url']],
      ['two-step-login', ['auth.Login.fields.password.help', 'auth.Login.url']],
      ['none', []],
    ] as const) {
      const key = auth.replaceAll('-', '_')
      const file = join(path, `${key}.ts`)
      const written = await runCli('new', path, ...acme, '--key', key, '--auth', auth)
      const expected = ['docs', ...names, 'check.errors.0.hint']
      const list = (text: string) =>
        [...text.matchAll(/([\w. ]+) is the placeholder/g)].map(([, name = '']) => name.trim())
      assert.deepEqual(list(written.out), expected, auth)
      const checked = await runCli('check', file)
      assert.deepEqual([checked.code, list(checked.err)], [1, expected], auth)
    }
    const file = join(path, 'bearer.ts')
    const source = await readFile(file, 'utf8')
    const replaced = source
      .replace(PLACEHOLDERS.docs, 'https://acme.test/docs')
      .replace(PLACEHOLDERS.help, 'Under Settings, API.')
      .replace(PLACEHOLDERS.hint, 'The token must be allowed to read.')
    await writeFile(file, replaced)
    assert.match((await runCli('check', file)).out, /no problems found/)
  })

  it('names a missing or invalid flag, and writes nothing', async () => {
    const targetFolder = join(folder, 'none')
    for (const [args, message] of [
      [['--name', 'Acme'], /--base-url is required/],
      [[...acme, '--auth', 'magic'], /--auth must be one of bearer, header/],
      [[...acme, '--loud', 'x'], /--loud/],
      [[...acme, 'another'], /Pass one folder/],
    ] as const) {
      const { code, err } = await runCli('new', targetFolder, ...args)
      assert.equal(code, 2)
      assert.match(err, message)
    }
    await assert.rejects(readdir(targetFolder))
  })

  it('does not overwrite existing files', async () => {
    const args = ['new', folder, ...acme, '--key', 'twice']
    assert.equal((await runCli(...args)).code, 0)
    const { code, err } = await runCli(...args)
    assert.equal(code, 1)
    assert.match(err, /twice\.ts already exists/)
    const result = await runCli('new', join(folder, 'twice.ts'), ...acme)
    assert.deepEqual([result.code, /twice\.ts is not a folder/.test(result.err)], [1, true])
  })
})
