import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import { type ConsoleVisitor, readAll, readText, signIn } from '../test/console-visitor.ts'

const PATH = '/console/integrations/new'

describe('/console/integrations/new', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  before(async () => {
    t = await testContext()
    visitor = await signIn(t)
  })
  after(() => t.close())

  const add = async (fields: Record<string, string>) => {
    await visitor.get(PATH)
    return visitor.post(PATH, { name: 'Acme', integrationType: 'CRM', ...fields })
  }

  const addFile = async (integration: string, bundle: string) => {
    const { text } = await visitor.get(PATH)
    const form = new FormData()
    for (const [, name = '', value = ''] of text.matchAll(
      /name="(form_token|form_id)" value="([^"]*)"/g,
    ))
      form.set(name, value)
    form.set('name', integration)
    form.set('integrationType', 'TICKETING')
    form.set('sourceUrl', '')
    form.set('bundle', new File([bundle], 'acme.js', { type: 'text/javascript' }))
    const body = new Response(form)
    return t.app.inject({
      method: 'POST',
      url: PATH,
      headers: {
        host: 'localhost:3000',
        cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'content-type': body.headers.get('content-type') ?? '',
        'sec-fetch-site': 'same-origin',
      },
      payload: Buffer.from(await body.arrayBuffer()),
    })
  }

  it('adds a bundle from its address, and leads to the integration', async () => {
    const { status, location } = await add({
      name: 'From an address',
      sourceUrl: t.stubServer.bundle(createMiniBundle()),
    })
    assert.equal(status, 303)
    const { title, text, visible } = await visitor.get(location ?? '')
    assert.equal(title, 'From an address')
    assert.match(text, /Added\. The preview shows/)
    assert.match(visible, /Preview connect page/)
  })

  it('adds a bundle from a file', async () => {
    const { statusCode, headers } = await addFile('From a file', createMiniBundle())
    assert.equal(statusCode, 303)
    const { visible, title } = await visitor.get(String(headers.location))
    assert.equal(title, 'From a file')
    assert.match(visible, /Bundle Uploaded file/)
  })

  it('names the step that failed, what to do, and keeps what was typed', async () => {
    const unreachable = await add({ sourceUrl: `${t.stubServer.url}/nothing.js` })
    assert.equal(unreachable.status, 422)
    assert.match(unreachable.visible, /Nothing was added The server responded with status 404/)
    assert.match(unreachable.visible, /Read the bundle failed .* not reached .* not reached/)
    assert.match(unreachable.text, /id="name"[^>]* value="Acme"/)
    const invalid = await add({ sourceUrl: t.stubServer.bundle('exports.default = 7') })
    assert.match(
      invalid.visible,
      /Read the bundle done Run it in the sandbox and read its spec failed/,
    )
    assert.match(invalid.visible, /Correct the bundle and add it again/)
  })

  it('says that a file is too large', async () => {
    const { statusCode, body } = await addFile('Too large', 'x'.repeat(5.4 * 1024 * 1024))
    assert.equal(statusCode, 422)
    const visible = readText(body)
    assert.match(visible, /Read the bundle failed/)
    assert.match(visible, /Minify the bundle/)
  })

  it('says that the name is taken', async () => {
    await t.createDefinition({ name: 'Taken' })
    const sourceUrl = t.stubServer.bundle(createMiniBundle())
    const { visible } = await add({ name: 'Taken', sourceUrl })
    assert.match(visible, /Store it under its name failed/)
    assert.match(visible, /Choose another name/)
  })

  it('asks for exactly one of address and file', async () => {
    assert.match((await add({})).visible, /Give the address of a bundle, or a file/)
    const both = await add({ sourceUrl: 'https://acme.example/a.js', bundle: 'YQ==' })
    assert.match(both.visible, /not both/)
  })

  it('shows the steps in their order', async () => {
    const page = await add({ sourceUrl: 'ftp://acme.example/a.js' })
    assert.match(readAll(page, 'li').join(), /Read the bundle failed/)
  })

  it('400 for an invalid multipart form; a viewer cannot add', async () => {
    const viewer = await signIn(t, { role: 'viewer' })
    const { text } = await viewer.get(PATH)
    assert.match(text, /disabled title="[^"]*role developer/)
    const broken = await viewer.send(
      PATH,
      {},
      { 'content-type': 'multipart/form-data; boundary=x' },
    )
    assert.equal(broken.status, 400)
    await signIn(t)
  })
})
