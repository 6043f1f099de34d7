import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type Account, findLinchpinError } from '../../../packages/sdk/src/index.ts'
import {
  type ProviderRequest,
  type ProviderResponse,
  startVendorTestContext,
  type VendorTestContext,
} from '../../../packages/sdk/test/vendors/vendor-test-context.ts'
import { createProject, type Project } from './create-project.ts'

/** What the test uses of `openai`, which is too large (35 MB) for a dependency of the clone. */
interface OpenAI {
  readonly chat: {
    readonly completions: {
      create(body: object): Promise<AsyncIterable<{ choices: { delta: { content: string } }[] }>>
    }
  }
  readonly files: {
    create(body: object): Promise<{ id: string }>
    list(): AsyncIterable<{ id: string }>
  }
}
type OpenAIClass = new (options: object) => OpenAI

describe('openai', () => {
  let t: VendorTestContext
  let project: Project
  let Client: OpenAIClass
  before(async () => {
    project = createProject(['openai@7.57.0'])
    const file = path.join(project.folder, 'node_modules/openai/index.mjs')
    Client = (await import(pathToFileURL(file).href)).default
    t = await startVendorTestContext(respond, '/v1')
  })
  after(async () => {
    await t.close()
    project.remove()
  })

  const options = { maxRetries: 0 }
  const withProxyUrl = ({ proxyUrl }: Account) =>
    new Client({ ...options, apiKey: t.boundToken, baseURL: proxyUrl })
  const withFetch = ({ fetch }: Account) =>
    new Client({ ...options, apiKey: 'unused', baseURL: `${t.providerUrl}/v1`, fetch })

  for (const [name, connect] of [
    ['proxyUrl as its URL and a token that is bound to the account', withProxyUrl],
    ['account(id).fetch', withFetch],
  ] as const)
    it(`streams, reads all pages, uploads and throws its own errors with ${name}`, async () => {
      const client = connect(t.desk)
      const create = (content: string) =>
        client.chat.completions.create({
          model: 'a',
          stream: true,
          messages: [{ role: 'user', content }],
        })
      let streamed = ''
      for await (const { choices } of await create('Hello'))
        streamed += choices[0]?.delta.content ?? ''
      assert.equal(streamed, 'Grüße!')
      const ids: string[] = []
      for await (const { id } of client.files.list()) ids.push(id)
      assert.deepEqual(ids, ['file-1', 'file-2', 'file-3'])
      const file = new File([new Uint8Array([0, 255, 128])], 'a.bin')
      assert.equal((await client.files.create({ file, purpose: 'assistants' })).id, 'file-9')
      assert.ok(t.requests.at(-1)?.body.includes(Buffer.from([0, 255, 128])))
      await assert.rejects(create('too much'), (error: Error) => {
        assert.equal(error.constructor.name, 'RateLimitError')
        t.assertNoLeaks(error)
        return true
      })
      t.requests.length = 0
      const refused = connect(t.otherDesk).files.create({ file, purpose: 'assistants' })
      await assert.rejects(refused, (error: Error) => {
        if (name.startsWith('account'))
          assert.equal(findLinchpinError(error)?.code, 'integration_account_not_found')
        else assert.equal(error.constructor.name, 'NotFoundError')
        return true
      })
      assert.deepEqual(t.requests, [])
    })
})

/** Responds as api.openai.com does. */
function respond({ method, url, body }: ProviderRequest): ProviderResponse {
  if (body.includes('too much')) {
    const error = { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' }
    return { status: 429, body: { error } }
  }
  if (url === '/v1/chat/completions') {
    const deltas = ['Grü', 'ße', '!'].map((content) => ({ choices: [{ delta: { content } }] }))
    const events = [...deltas.map((delta) => JSON.stringify(delta)), '[DONE]']
    const text = events.map((event) => `data: ${event}\n\n`).join('')
    return { headers: { 'content-type': 'text/event-stream' }, body: Buffer.from(text) }
  }
  if (method === 'POST') return { body: { id: 'file-9', object: 'file' } }
  const isLast = url.includes('after=file-2')
  const data = (isLast ? [3] : [1, 2]).map((number) => ({ id: `file-${number}` }))
  return { body: { object: 'list', data, has_more: !isLast } }
}
