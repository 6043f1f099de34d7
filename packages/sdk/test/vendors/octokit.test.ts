import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Octokit } from '@octokit/rest'
import { type Account, findLinchpinError } from '../../src/index.ts'
import {
  type ProviderRequest,
  type ProviderResponse,
  startVendorTestContext,
  type VendorTestContext,
} from './vendor-test-context.ts'

const REPO = { owner: 'acme', repo: 'desk' }

describe('@octokit/rest with account(id).fetch', () => {
  let t: VendorTestContext
  let octokit: Octokit
  before(async () => {
    t = await startVendorTestContext(respond)
    octokit = connect(t.desk)
  })
  beforeEach(() => t.requests.splice(0))
  after(() => t.close())

  const connect = ({ fetch }: Account) =>
    new Octokit({
      baseUrl: t.providerUrl,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      request: { fetch },
    })

  it('reads all pages, through the links of the provider', async () => {
    const issues = await octokit.paginate(octokit.rest.issues.listForRepo, {
      ...REPO,
      per_page: 2,
    })
    assert.deepEqual(
      issues.map(({ number }) => number),
      [1, 2, 3, 4, 5],
    )
    assert.equal(t.requests.length, 3)
    t.assertNoLeaks(issues)
  })

  it('sends encoded slashes of a path as they are', async () => {
    const file = await octokit.rest.repos.getContent({ ...REPO, path: 'docs/für alle.md' })
    const ref = await octokit.rest.git.getRef({ ...REPO, ref: 'heads/feature/a' })
    assert.deepEqual(
      t.requests.map(({ url }) => url),
      [
        '/repos/acme/desk/contents/docs%2Ff%C3%BCr%20alle.md',
        '/repos/acme/desk/git/ref/heads%2Ffeature%2Fa',
      ],
    )
    t.assertNoLeaks(file, ref)
  })

  it('sends bodies: JSON, and the bytes of an upload', async () => {
    const created = await octokit.rest.issues.create({ ...REPO, title: 'Grüße' })
    assert.equal(created.status, 201)
    const bytes = Buffer.from([0, 255, 13, 10, 128])
    const uploaded = await octokit.rest.repos.uploadReleaseAsset({
      ...REPO,
      release_id: 7,
      name: 'app.bin',
      data: bytes as unknown as string,
      baseUrl: t.providerUrl,
      headers: { 'content-type': 'application/octet-stream' },
    })
    assert.equal(uploaded.status, 201)
    const [issue, asset] = t.requests
    assert.deepEqual(JSON.parse(String(issue?.body)), { title: 'Grüße' })
    assert.match(asset?.url ?? '', /^\/repos\/acme\/desk\/releases\/7\/assets\?name=app\.bin/)
    assert.deepEqual(asset?.body, bytes)
    assert.equal(asset?.headers['content-type'], 'application/octet-stream')
    t.assertNoLeaks(created, uploaded)
  })

  it('downloads bytes', async () => {
    const { data } = await octokit.rest.repos.downloadZipballArchive({ ...REPO, ref: 'main' })
    assert.deepEqual(Buffer.from(data as ArrayBuffer), ARCHIVE)
  })

  it('throws its own error for an error of the provider', async () => {
    await assert.rejects(octokit.rest.repos.get({ ...REPO, repo: 'missing' }), (error: Error) => {
      assert.equal(error.name, 'HttpError')
      assert.partialDeepStrictEqual(
        { ...error },
        {
          status: 404,
          response: { data: { message: 'Not Found' }, headers: { 'x-github-request-id': 'A1:B2' } },
        },
      )
      assert.equal(findLinchpinError(error), undefined)
      t.assertNoLeaks(error)
      return true
    })
  })

  it('throws an error in which that of Linchpin is found, such as for another account', async () => {
    await assert.rejects(connect(t.otherDesk).rest.repos.get(REPO), (error) => {
      assert.equal(findLinchpinError(error)?.code, 'integration_account_not_found')
      return true
    })
    assert.deepEqual(t.requests, [])
  })
})

const ARCHIVE = Buffer.from([80, 75, 3, 4, 255])

/** Responds as api.github.com does. */
function respond({ method, url }: ProviderRequest, providerUrl: string): ProviderResponse {
  const { pathname, searchParams } = new URL(url, providerUrl)
  const headers = { 'x-github-request-id': 'A1:B2' }
  if (pathname === '/repos/acme/desk/zipball/main')
    return { status: 302, headers: { location: `${providerUrl}/codeload/main` } }
  if (pathname === '/codeload/main')
    return { headers: { 'content-type': 'application/zip' }, body: ARCHIVE }
  if (method === 'POST') return { status: 201, headers, body: { number: 6, id: 1 } }
  if (pathname === '/repos/acme/desk/issues') return listIssues(searchParams, providerUrl)
  if (pathname.startsWith('/repos/acme/desk/')) return { headers, body: { type: 'file' } }
  const body = { message: 'Not Found', documentation_url: 'https://docs.github.com/rest' }
  return { status: 404, headers, body }
}

function listIssues(search: URLSearchParams, providerUrl: string): ProviderResponse {
  const size = Number(search.get('per_page'))
  const page = Number(search.get('page') ?? 1)
  const last = Math.ceil(5 / size)
  const first = (page - 1) * size + 1
  const body = Array.from({ length: Math.min(size, 6 - first) }, (_, index) => ({
    number: first + index,
  }))
  const next = `<${providerUrl}/repos/acme/desk/issues?per_page=${size}&page=${page + 1}>; rel="next"`
  return { body, headers: page < last ? { link: next } : {} }
}
