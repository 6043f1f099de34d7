import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { lintFile } from './lint-file.ts'

const SOURCE = `import { defineIntegration, oauth2, secret, bearer } from '@linchpin/kit'
export default defineIntegration({
  key: 'acme',
  name: 'Acme',
  category: 'OTHER',
  version: '1.0.0',
  docs: 'https://acme.test/docs',
  hosts: ['api.acme.test'],
  auth: {
    Token: bearer({
      fields: { token: secret('Token', { help: 'In your settings.', helpUrl: 'https://acme.test' }) },
    }),
    OAuth2: oauth2({
      authorizationUrl: 'https://acme.test/authorize',
      tokenUrl: 'https://api.acme.test/token',
      scopes: ['read'],
      scopeLabels: { read: 'Read' },
      refresh: 'always',
    }),
  },
  check: { path: '/me', errors: [{ status: 403, hint: 'Allow it to read.' }] },
  identity: { id: 'id', label: ['name'] },
})
`

describe('Unknown keys of an integration', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kit-keys-'))
  })
  after(() => rm(folder, { recursive: true }))

  const check = async (from: string, to: string) => {
    const file = path.join(folder, 'acme.ts')
    assert.ok(SOURCE.includes(from), from)
    await writeFile(file, SOURCE.replace(from, to))
    return (await lintFile(file)).errors
  }

  it('none are found in a correct one', async () => {
    assert.deepEqual(await check('acme', 'acme'), [])
  })

  const MISTAKES: [from: string, to: string, sentence: string][] = [
    ['helpUrl', 'helpURL', 'secret("Token"): helpURL is not a known key. Did you mean helpUrl?'],
    ['docs:', 'doc: 1, docs:', 'acme: doc is not a known key. Did you mean docs?'],
    ['fields:', 'feilds: {}, fields:', 'bearer: feilds is not a known key. Did you mean fields?'],
    ["refresh: 'always'", 'autoRefresh: true', 'oauth2: autoRefresh is not a known key.'],
    [
      "path: '/me'",
      "path: '/me', querry: {}",
      'acme.check: querry is not a known key. Did you mean query?',
    ],
    [
      'hint:',
      'hints: 1, hint:',
      'acme.check.errors.0: hints is not a known key. Did you mean hint?',
    ],
    [
      "id: 'id'",
      "id: 'id', avatarURL: 'x'",
      'acme.identity: avatarURL is not a known key. Did you mean avatarUrl?',
    ],
    [
      'fields: {',
      "check: { path: '/', okay: 'id' }, fields: {",
      'bearer.check: okay is not a known key. Did you mean ok?',
    ],
    [
      "help: 'In",
      "i18n: { de: { titel: 'x' } }, help: 'In",
      'secret("Token").i18n.de: titel is not a known key.',
    ],
  ]
  for (const [from, to, sentence] of MISTAKES)
    it(`are found, with their path: ${to}`, async () => {
      assert.ok((await check(from, to)).includes(sentence), (await check(from, to)).join('\n'))
    })
})
